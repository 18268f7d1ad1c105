package dev.headroom.advisor.variants;

import dev.headroom.estimator.predict.Simulation;
import java.util.Arrays;
import java.util.List;

/**
 * How a variant went: what is kept of a play whose events are forgotten.
 *
 * @param result whether it got through
 * @param allocated peak in bytes, until memory ran out if it did
 * @param reserved peak in bytes, until memory ran out if it did
 * @param executions how often each node of the graph ran; of a run that got through
 * @param losesGradients whether parameters in re-entrant checkpoints got no gradients; of a run that got through
 */
public record Outcome(Result result, long allocated, long reserved, List<Integer> executions, boolean losesGradients) {
    /** What became of a run. */
    public enum Result {
        FITS,
        OUT_OF_MEMORY,
        /** PyTorch, or the model, refuses it. */
        IMPOSSIBLE
    }

    static final Outcome IMPOSSIBLE = new Outcome(Result.IMPOSSIBLE, 0, 0, List.of(), false);

    static Outcome of(Simulation played) {
        if (played.oom() != null) {
            return new Outcome(Result.OUT_OF_MEMORY, played.maxAllocated(), played.maxReserved(), List.of(), false);
        }
        return new Outcome(
                Result.FITS,
                played.maxAllocated(),
                played.maxReserved(),
                Arrays.stream(played.nodes().executions()).boxed().toList(),
                played.nodes().checkpointsWithoutGradients() > 0);
    }

    /** Whether the run got through. */
    public boolean fits() {
        return result == Result.FITS;
    }
}
