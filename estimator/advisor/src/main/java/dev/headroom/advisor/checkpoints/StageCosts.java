package dev.headroom.advisor.checkpoints;

import java.util.List;

/**
 * What the pieces of a plan cost, in bytes above those before the pass and in FLOPs, as far as they can be told from a
 * play that stores all ({@link PassLog}): a plan is a sequence of pieces, each a stored stage or stages under one
 * checkpoint. A piece leaves bytes behind when its forward pass ends, and needs bytes at most, on top of what the
 * pieces before it left, in its forward or its backward pass. Stages and pieces are numbered from 0.
 *
 * @param stored bytes that a stored stage leaves; less than zero where it ends more than it makes
 * @param storedPeak bytes that a stored stage needs at most
 * @param kept by first and last stage: bytes that a checkpoint leaves, which are those that later stages read
 * @param keptPeak by first and last stage: bytes that a checkpoint needs at most
 * @param again by first and last stage: FLOPs that a checkpoint recomputes
 * @param allowed by first and last stage: whether the stages can be one checkpoint
 * @param floor bytes of a peak that no plan changes, above those before the pass
 */
record StageCosts(
        long[] stored,
        long[] storedPeak,
        long[][] kept,
        long[][] keptPeak,
        long[][] again,
        boolean[][] allowed,
        long floor) {
    int stages() {
        return stored.length;
    }

    /**
     * What a plan costs.
     *
     * @param pieces its checkpoints in order; other stages are stored
     */
    Schedule evaluate(List<Schedule.Piece> pieces) {
        long left = 0;
        long peak = floor;
        long recomputed = 0;
        int stage = 0;
        for (int k = 0; k <= pieces.size(); k++) {
            Schedule.Piece p = k < pieces.size() ? pieces.get(k) : null;
            for (; stage < (p == null ? stages() : p.first()); stage++) {
                peak = Math.max(peak, left + storedPeak[stage]);
                left += stored[stage];
            }
            if (p != null) {
                peak = Math.max(peak, left + keptPeak[p.first()][p.last()]);
                left += kept[p.first()][p.last()];
                recomputed += again[p.first()][p.last()];
                stage = p.last() + 1;
            }
        }
        return new Schedule(List.copyOf(pieces), peak, recomputed);
    }
}
