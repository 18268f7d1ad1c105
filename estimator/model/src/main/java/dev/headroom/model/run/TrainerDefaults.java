package dev.headroom.model.run;

import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.trainer.TransformersVersion;

/** What transformers' Trainer does where its arguments say nothing (transformers, training_args.py). */
final class TrainerDefaults {
    private static final double MAX_GRAD_NORM = 1;

    private TrainerDefaults() {}

    /**
     * The scenario as the libraries run it. The Trainer clips, its AdamW is {@code adamw_torch_fused} since
     * PyTorch 2.8, its Adafactor the library's own, and it switches checkpointing on once more before it trains, in the
     * library's own variant.
     */
    static Scenario applied(Scenario asked) {
        TransformersVersion version = asked.trainer().transformers();
        boolean trainer = asked.trainer().loop().isTrainer();
        Scenario run = asked;
        boolean switched =
                run.checkpointing().segments() > 0 && run.checkpointing().reentrant() == null;
        if (switched && (trainer || !version.checkpointsNotReentrant())) {
            run = run.withCheckpointing(run.checkpointing().withReentrant(!version.checkpointsNotReentrant()));
        }
        if (!trainer) {
            return run;
        }
        OptimizerChoice optimizer = run.optimizer();
        if (optimizer.kind() == OptimizerKind.ADAMW
                && optimizer.foreach() == Scenario.Foreach.AUTO
                && version.fusesAdam()
                && run.torch().since(2, 8)) {
            run = run.withOptimizer(optimizer.withFused(true));
        }
        if (optimizer.kind() == OptimizerKind.ADAFACTOR) {
            run = run.withOptimizer(optimizer.withKind(OptimizerKind.HF_ADAFACTOR));
        }
        if (run.loop().clipGradNorm() == null) {
            run = run.withLoop(run.loop().withClipGradNorm(MAX_GRAD_NORM));
        }
        return run;
    }
}
