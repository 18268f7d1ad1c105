package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Which training loop runs, and what the Trainer's does beside training.
 *
 * @param loop whose loop it is
 * @param evalBatch sequences of a batch of evaluation, which follows every step; {@code null} for no evaluation
 * @param evalBatches batches of an evaluation
 * @param evalAccumulation after how many batches of an evaluation what was gathered goes to the host; {@code null}:
 *     after the last one
 * @param lossOnly {@code prediction_loss_only}: evaluation keeps losses and no scores
 */
@Withers
public record TrainerOptions(
        LoopKind loop,
        @Nullable Long evalBatch,
        int evalBatches,
        @Nullable Integer evalAccumulation,
        boolean lossOnly) implements TrainerOptionsWithers.With {
    static final TrainerOptions DEFAULTS = new TrainerOptions(LoopKind.PLAIN, null, 2, null, false);
}
