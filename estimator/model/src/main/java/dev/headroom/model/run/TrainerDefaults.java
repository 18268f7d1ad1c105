package dev.headroom.model.run;

import dev.headroom.model.scenario.LoopKind;
import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;

/** What transformers' Trainer does where its arguments say nothing (transformers, training_args.py). */
final class TrainerDefaults {
    private static final double MAX_GRAD_NORM = 1;

    private TrainerDefaults() {}

    /**
     * The scenario as the Trainer runs it: it clips, and its AdamW is {@code adamw_torch_fused} since PyTorch 2.8.
     */
    static Scenario applied(Scenario asked) {
        if (asked.trainer().loop() == LoopKind.PLAIN) {
            return asked;
        }
        Scenario run = asked;
        OptimizerChoice optimizer = run.optimizer();
        if (optimizer.kind() == OptimizerKind.ADAMW
                && optimizer.foreach() == Scenario.Foreach.AUTO
                && run.torch().since(2, 8)) {
            run = run.withOptimizer(optimizer.withFused(true));
        }
        if (run.loop().clipGradNorm() == null) {
            run = run.withLoop(run.loop().withClipGradNorm(MAX_GRAD_NORM));
        }
        return run;
    }
}
