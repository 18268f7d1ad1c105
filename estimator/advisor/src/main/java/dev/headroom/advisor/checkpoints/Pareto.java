package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Choices between memory and recomputation. */
final class Pareto {
    private static final Comparator<CheckpointChoice> CHEAPEST_FIRST = Comparator.comparingLong(
                    CheckpointChoice::recomputedFlops)
            .thenComparingLong(CheckpointChoice::peakAllocated)
            .thenComparingInt(c -> c.segments() + c.modules().size());

    private Pareto() {}

    /** Those that no other one beats, the most memory and the least recomputation first. */
    static List<CheckpointChoice> front(Collection<CheckpointChoice> choices) {
        List<CheckpointChoice> front = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (CheckpointChoice c : choices.stream().sorted(CHEAPEST_FIRST).toList()) {
            if (c.peakAllocated() < least) {
                least = c.peakAllocated();
                front.add(c);
            }
        }
        return front;
    }
}
