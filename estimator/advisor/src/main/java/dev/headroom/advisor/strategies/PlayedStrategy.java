package dev.headroom.advisor.strategies;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/**
 * How a strategy went on the rank that takes most.
 *
 * @param run the scenario that was played, of that rank
 * @param fits whether every rank gets through within the device's memory
 * @param peak of that rank, in bytes; with room for anything where it does not fit
 * @param communicated bytes that the rank hands to NCCL in a step, whole buffers
 * @param refused why PyTorch or Headroom refuses the combination; "" where it does not, and the rest is of no meaning
 *     if it does
 */
public record PlayedStrategy(
        Strategy strategy,
        Scenario run,
        boolean fits,
        Prediction.@Nullable Peak peak,
        long communicated,
        String refused) {}
