package dev.headroom.advisor.checkpoints;

import java.util.List;

/**
 * A plan over stages whose checkpoints may hold checkpoints.
 *
 * @param segments in order; what lies in none of them is stored
 * @param peak bytes at most, above those before the pass, by the model of costs
 * @param again FLOPs that are recomputed, by the model of costs; those that are recomputed twice count twice
 */
record NestedSchedule(List<NestedSegment> segments, long peak, long again) {
    NestedSchedule {
        segments = List.copyOf(segments);
    }
}
