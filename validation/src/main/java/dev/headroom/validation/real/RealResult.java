package dev.headroom.validation.real;

import dev.headroom.app.words.Door;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import org.jspecify.annotations.Nullable;

/**
 * A run and what was predicted of it with room for anything.
 *
 * @param reserved bytes; 0 where it could not be predicted
 * @param allocated bytes; 0 where it could not be predicted
 * @param fault why it could not; {@code null} where it could
 */
record RealResult(
        RealRun run,
        long reserved,
        long allocated,
        @Nullable String fault) {
    /** Predicts. */
    static RealResult of(RealRun run) {
        try {
            Simulation played = run.player().apply(run.request().get().unbounded());
            return new RealResult(run, played.maxReserved(), played.maxAllocated(), null);
        } catch (UserInputException e) {
            return new RealResult(run, 0, 0, Door.here().tell(String.valueOf(e.getMessage())));
        }
    }

    /** What was predicted of what was measured. */
    long predicted(long constant) {
        return run.figure() == RealRun.Figure.ALLOCATED ? allocated : reserved + constant;
    }

    /** (predicted - measured) / measured. */
    double error(long constant) {
        return (predicted(constant) - run.measured()) / (double) run.measured();
    }

    /**
     * Whether the run is said to run out of memory. What is short of room at first is played again with no more than
     * there is, as PyTorch gives its cached memory back before it fails.
     */
    boolean ranOut(long constant, long usable) {
        if (reserved + constant <= usable) {
            return false;
        }
        PredictionRequest request = run.request().get().unbounded();
        return run.player()
                        .apply(request.with(
                                request.scenario().withDevice(request.device().withLimit(usable - constant))))
                        .oom()
                != null;
    }
}
