package dev.headroom.model.family.experts;

import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;

/** Sizes of all tokens of a batch together. */
final class Rows {
    private Rows() {}

    static SymExpr tokens() {
        return SymExpr.call("Mul", Request.BATCH, Request.SEQ);
    }
}
