package dev.headroom.advisor.checkpoints;

import java.util.List;

/**
 * Stages that are recomputed together, and what of them is recomputed once more: a {@code checkpoint} around functions
 * of which some are checkpoints themselves. Stages are numbered from 0.
 *
 * @param first first stage
 * @param last last stage, inclusive
 * @param inner in order; each ends before {@code last}, since what a recomputation makes last is used at once. When the
 *     segment is recomputed, stages in none of them keep everything
 */
record NestedSegment(int first, int last, List<NestedSegment> inner) {
    NestedSegment {
        inner = List.copyOf(inner);
    }

    /** How many checkpoints are around a stage at most: 1 for a segment without inner ones. */
    int depth() {
        return 1 + inner.stream().mapToInt(NestedSegment::depth).max().orElse(0);
    }
}
