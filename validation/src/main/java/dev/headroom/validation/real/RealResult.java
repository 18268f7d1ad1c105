package dev.headroom.validation.real;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import org.jspecify.annotations.Nullable;

/**
 * A run and what was predicted of it with room for anything.
 *
 * @param reserved bytes; 0 where it could not be predicted
 * @param least bytes that are allocated after the first optimizer step: weights, gradients, states and batches
 * @param fault why it could not; {@code null} where it could
 */
record RealResult(
        RealRun run, long reserved, long least, @Nullable String fault) {
    /** Of what is surely held, the part that a reading must reach: readings are rounded and constants are not exact. */
    private static final double SURELY = 0.95;

    /** Predicts. */
    static RealResult of(RealRun run) {
        try {
            PredictionRequest request = run.request().get();
            Simulation played = Predictor.simulate(request.unbounded());
            long least = played.phases().stream()
                    .filter(p -> p.phase() == Phase.OPTIMIZER)
                    .mapToLong(PhaseMemory::allocated)
                    .findFirst()
                    .orElse(0);
            return new RealResult(run, played.maxReserved(), least, null);
        } catch (UserInputException e) {
            return new RealResult(run, 0, 0, String.valueOf(e.getMessage()));
        }
    }

    /** Whether what was read is less than a single step leaves behind: the run did not train. */
    boolean idle(long constant) {
        return run.fate() == RealRun.Fate.FITS && run.measured() > 0 && run.measured() - constant < SURELY * least;
    }

    /** (predicted - measured) / measured, of the whole device. */
    double error(long constant) {
        return (reserved + constant - run.measured()) / (double) run.measured();
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
        return Predictor.simulate(request.with(
                                request.scenario().withDevice(request.device().withLimit(usable - constant))))
                        .oom()
                != null;
    }
}
