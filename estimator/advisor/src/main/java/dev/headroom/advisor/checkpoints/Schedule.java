package dev.headroom.advisor.checkpoints;

import java.util.List;

/**
 * A plan over stages.
 *
 * @param pieces in order; what lies in none of them is stored
 * @param peak bytes at most, above those before the pass, by the model of costs
 * @param again FLOPs that are recomputed, by the model of costs
 */
record Schedule(List<Piece> pieces, long peak, long again) {
    /** Stages under one checkpoint, both inclusive. */
    record Piece(int first, int last) {}
}
