package dev.headroom.app.option;

import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.units.OptionNames;
import java.util.EnumSet;
import java.util.Set;

/** Refuses runs with quantised weights that their libraries refuse, or that Headroom cannot play. */
final class QuantCombinations {
    private static final Set<ParallelKind> PLAYED =
            EnumSet.of(ParallelKind.SINGLE, ParallelKind.DDP, ParallelKind.ZERO1, ParallelKind.ZERO2);

    private static final Set<ParallelKind> OF_TRAINERS = EnumSet.of(ParallelKind.FSDP1, ParallelKind.FSDP2);

    private QuantCombinations() {}

    static void check(Scenario run) {
        QuantKind kind = run.quant().kind();
        if (kind == null) {
            return;
        }
        String quant = "`quant=" + OptionNames.of(kind) + "`";
        boolean trains = !run.loop().inference() && !run.generation().any();
        if (trains && !run.adapters().any()) {
            // transformers/trainer_utils.py refuses it as well
            throw new BadOption(quant + " cannot be trained in full: quantised weights get no gradients; train an"
                    + " adapter with `lora=R`, or play forward passes alone with `inference`");
        }
        if (trains && run.trainer().fusesHead() && run.precision().amp() == DType.FLOAT16) {
            // trl, sft_trainer.py: adapters of quantised models are cast to bfloat16
            throw new BadOption(quant + " with `loop=sft`: trl makes its adapters bfloat16, and the GradScaler of"
                    + " `amp=fp16` takes no such gradients; take `amp=bf16`");
        }
        ParallelKind parallel = run.parallel().kind();
        if (OF_TRAINERS.contains(parallel) && run.trainer().loop().isTrainer() && kind != QuantKind.INT8) {
            checkTypes(parallel, run);
        } else if (!PLAYED.contains(parallel)) {
            throw new BadOption(quant + " is not modelled with `parallel=" + parallel.option()
                    + "`, which splits or wraps weights; take `parallel=ddp`, zero1 or zero2, or for 4 bits in a"
                    + " Trainer fsdp1 or fsdp2");
        }
    }

    /** FSDP1 flattens a layer's parameters together, which have one type then: the packed bytes that of all others. */
    private static void checkTypes(ParallelKind parallel, Scenario run) {
        if (parallel == ParallelKind.FSDP1 && !run.quant().noKbitPrepare()) {
            throw new BadOption(
                    "`quant` with `parallel=fsdp1`: prepare_model_for_kbit_training makes norms float32, and"
                            + " FSDP flattens one type; add `no_kbit_prepare`");
        }
    }
}
