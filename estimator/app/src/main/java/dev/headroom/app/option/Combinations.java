package dev.headroom.app.option;

import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.check.ParallelChecks;

/** Refuses what PyTorch refuses. */
public final class Combinations {
    private static final long MOST_PASSES = 100_000;

    private Combinations() {}

    static void check(Scenario run) {
        if (run.optimizer().fused()) {
            fused(run);
        }
        for (Setting<?> setting : ScenarioSettings.written()) {
            setting.objection(run).ifPresent(why -> {
                String with = OptimizerSettings.all().contains(setting)
                        ? " with `optimizer=" + run.optimizer().kind().option() + "`"
                        : "";
                throw new BadOption(new Mention(setting.key(), null) + with + ": " + why + "; leave it out");
            });
        }
        ParallelChecks.check(run);
        QuantCombinations.check(run);
        if (run.precision().amp() == DType.FLOAT16
                && run.precision().dtype() == DType.FLOAT16
                && !run.loop().inference()
                && !run.adapters().any() // whose gradients are float32
                && steps(run)) {
            // GradScaler.unscale_ (torch/amp/grad_scaler.py) raises for gradients in fp16.
            throw new BadOption("`amp=fp16` cannot be combined with `dtype=fp16`: the GradScaler does not unscale fp16"
                    + " gradients; leave out one of them");
        }
        if (run.checkpointing().segments() > 0 && !run.checkpointing().modules().isEmpty()) {
            throw new BadOption("`checkpoint` cannot be combined with `checkpoint_modules`; leave out one of them");
        }
        if ((long) run.loop().steps() * run.loop().accumulate() > MOST_PASSES) {
            throw new BadOption("`steps=" + run.loop().steps() + "` with `accumulate="
                    + run.loop().accumulate() + "`: more than " + MOST_PASSES
                    + " passes; the third step is like any later one, so `steps=3` is enough");
        }
    }

    private static boolean steps(Scenario run) {
        return run.optimizer().kind() != OptimizerKind.NONE;
    }

    /** The constructors of torch/optim/*.py. */
    private static void fused(Scenario run) {
        if (run.optimizer().foreach() == Scenario.Foreach.TRUE) {
            throw new BadOption("`fused` cannot be combined with `foreach=true`; leave out one of them");
        }
        OptimizerKind kind = run.optimizer().kind();
        if (!kind.fuses()) {
            throw new BadOption("`fused`: PyTorch has no fused CUDA kernel for `optimizer=" + kind.option()
                    + "`; leave it out, or take one of " + String.join(", ", OptimizerKind.withFused()));
        }
    }
}
