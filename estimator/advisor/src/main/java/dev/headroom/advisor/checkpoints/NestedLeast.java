package dev.headroom.advisor.checkpoints;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The least memory that could be had if checkpoints were put into checkpoints, over the same stages and runs as the
 * search. It is by the model of costs and was not played: runs have no option for such plans. Beside it, {@code saves}
 * compares with the same model's leanest plan on one level, whose peak may differ a little from the one that was
 * played.
 *
 * @param peakAllocated highest allocated bytes of the run, by the model of costs
 * @param saves bytes below the leanest plan on one level, both by the model of costs; 0: nesting does not help
 * @param recomputedShare recomputed FLOPs as a share of those of a step that recomputes nothing; what is recomputed
 *     twice counts twice
 * @param depth checkpoints around a module at most; 1: none is in another one
 * @param checkpoints the plan's outermost checkpoints, in order
 * @param exact whether the search missed no plan of its model of costs
 */
public record NestedLeast(
        long peakAllocated,
        long saves,
        double recomputedShare,
        int depth,
        List<Checkpoint> checkpoints,
        boolean exact) {
    public NestedLeast {
        checkpoints = List.copyOf(checkpoints);
    }

    /**
     * A checkpoint around modules.
     *
     * @param modules a module or a run of siblings, as {@code --checkpoint-modules} names them
     * @param inner checkpoints around some of these modules, in order
     */
    public record Checkpoint(@Nullable String modules, List<Checkpoint> inner) {
        public Checkpoint {
            inner = List.copyOf(inner);
        }
    }
}
