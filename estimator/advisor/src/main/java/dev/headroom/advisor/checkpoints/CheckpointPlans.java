package dev.headroom.advisor.checkpoints;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What can be had by recomputation.
 *
 * @param pareto choices of which none needs at most the memory and at most the recomputation of another; the most
 *     memory first
 * @param baselines store all, and where the model has them √n segments and every block, whether dominated or not
 * @param lowerBound allocated bytes that no choice of checkpoints over the stages of the search goes below: single
 *     modules and runs of siblings, on one level
 * @param nestedLeast what checkpoints in checkpoints could save, by the model of costs, not played; {@code null} where
 *     there is no backward pass, or the model has too many stages to find out quickly
 * @param method how the choices were found, one line
 * @param exact whether the model is a chain and the search misses no plan of its model of costs
 */
public record CheckpointPlans(
        List<CheckpointChoice> pareto,
        List<CheckpointChoice> baselines,
        long lowerBound,
        @Nullable NestedLeast nestedLeast,
        String method,
        boolean exact) {
    public CheckpointPlans {
        pareto = List.copyOf(pareto);
        baselines = List.copyOf(baselines);
    }

    /** The choice with the lowest peak. */
    public CheckpointChoice leanest() {
        return pareto.get(pareto.size() - 1);
    }

    /** How far the leanest choice may be from the best possible: its peak over the lower bound, less one. */
    public double gap() {
        return lowerBound == 0 ? 0 : (double) leanest().peakAllocated() / lowerBound - 1;
    }
}
