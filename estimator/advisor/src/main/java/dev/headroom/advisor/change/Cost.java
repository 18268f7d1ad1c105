package dev.headroom.advisor.change;

import org.jspecify.annotations.Nullable;

/**
 * What a change costs in a step.
 *
 * @param passes forward and backward passes in place of one; 1 for none more
 * @param recomputedFlops floating-point operations of the forward pass that run again, or {@code null} where they are
 *     not counted
 * @param recomputedShare these as a share of the step's without recomputation, such as 0.25
 */
public record Cost(int passes, @Nullable Long recomputedFlops, double recomputedShare) {
    /** Nothing. */
    public static final Cost NONE = new Cost(1, 0L, 0);

    /** Parts of the forward pass again, nobody counted how much. */
    static final Cost RECOMPUTATION = new Cost(1, null, 0);

    /** Both, one after the other. */
    public Cost and(Cost other) {
        Long flops = recomputedFlops == null || other.recomputedFlops == null
                ? null
                : Long.valueOf(recomputedFlops + other.recomputedFlops);
        return new Cost(passes * other.passes, flops, recomputedShare + other.recomputedShare);
    }
}
