package dev.headroom.model.run;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.scenario.Precision;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * How accelerate spreads the run of a Trainer over GPUs (accelerate 1.15, accelerator.py; transformers 5.17,
 * trainer.py).
 */
public final class AccelerateDefaults {
    private AccelerateDefaults() {}

    /**
     * The scenario of a Trainer on several GPUs as it is run; any other as it is. Gradients are reduced in the last
     * pass of a step alone ({@code sync_each_batch=False}), and DDP looks for parameters without gradients but where a
     * model of transformers checkpoints, which that would break (trainer.py, _build_accelerator_args).
     */
    public static Scenario spread(Scenario given) {
        ParallelKind kind = given.parallel().kind();
        if (!given.trainer().loop().isTrainer() || kind == ParallelKind.SINGLE) {
            return given;
        }
        Scenario asked = TrainerDefaults.applied(given);
        if (kind == ParallelKind.DP) {
            return asked.withPrecision(precision(asked));
        }
        Parallelism parallel = asked.parallel().withBuild(build(asked));
        if (kind == ParallelKind.DDP) {
            Boolean said = asked.trainer().ddpFindUnusedParameters();
            boolean whole = !asked.adapters().any();
            boolean looks =
                    said != null ? said : !whole || !asked.checkpointing().any();
            parallel = parallel.withDdp(parallel.ddp().withFindUnusedParameters(looks));
        } else if (kind.isFullySharded()) {
            parallel = parallel.withSharding(sharded(asked));
        }
        return asked.withPrecision(precision(asked))
                .withParallel(kind.isDeepSpeed() ? parallel : parallel.withNoSync(true));
    }

    /** The graph with a line for the user where several GPUs do not do what was asked for. */
    static Graph noted(Graph graph, Scenario run) {
        if (!run.trainer().loop().isTrainer() || run.parallel().kind() != ParallelKind.DP) {
            return graph;
        }
        List<String> notes = new ArrayList<>(graph.held().notes());
        notes.add("`parallel=dp`: the Trainer runs a model in DataParallel without autocast, whatever `amp` says;"
                + " started by torchrun it takes DistributedDataParallel");
        return graph.withHeld(graph.held().withNotes(notes));
    }

    /**
     * The Trainer leaves a model that will be divided where it is, in host memory; with stage 3 of ZeRO, transformers
     * makes it under {@code deepspeed.zero.Init}. Quantised models are on the device since they were loaded.
     */
    private static Parallelism.Build build(Scenario run) {
        ParallelKind kind = run.parallel().kind();
        if (kind == ParallelKind.DDP || run.quant().any()) {
            return Parallelism.Build.CUDA;
        }
        return kind == ParallelKind.ZERO3 ? Parallelism.Build.ZERO_INIT : Parallelism.Build.CPU;
    }

    /**
     * {@code fully_shard} and DeepSpeed have types of their own in autocast's place; a model in DataParallel is one
     * that accelerate has not prepared (trainer.py, _wrap_model), and runs without autocast. Under FSDP2 parameters
     * that are trained are in float32 first (accelerate, utils/fsdp_utils.py, fsdp2_prepare_model); DeepSpeed has the
     * model in the other type.
     */
    private static Precision precision(Scenario asked) {
        ParallelKind kind = asked.parallel().kind();
        Precision own = asked.precision();
        if (own.amp() == null || kind == ParallelKind.DDP || kind == ParallelKind.FSDP1) {
            return own;
        }
        if (own.amp() == DType.FLOAT16) {
            throw new UserInputException("`amp=fp16` with `parallel=" + kind.option()
                    + "`: the loss scaling of accelerate and DeepSpeed is not modelled; take `amp=bf16`");
        }
        boolean widened = kind == ParallelKind.FSDP2 && !asked.adapters().any();
        DType type = kind.isDeepSpeed() ? own.amp() : widened ? DType.FLOAT32 : own.dtype();
        return own.withAmp(null).withDtype(type);
    }

    /**
     * accelerate's plugin (utils/dataclasses.py, FullyShardedDataParallelPlugin, set_mixed_precision): everything is in
     * autocast's type, modules keep parameters of their own, and ranks may get what the first one has loaded.
     */
    private static ShardingOptions sharded(Scenario asked) {
        ShardingOptions options = asked.parallel().sharding();
        DType type = asked.precision().amp();
        boolean first = asked.parallel().kind() == ParallelKind.FSDP1;
        if (type != null && options.paramDtype() == null && options.reduceDtype() == null) {
            options = options.withParamDtype(type).withReduceDtype(type);
            options = first ? options : options.withOutputDtype(type);
        }
        boolean sends = asked.trainer().ramEfficientLoading();
        return first ? options.withUseOrigParams(true).withSyncModuleStates(sends) : options;
    }
}
