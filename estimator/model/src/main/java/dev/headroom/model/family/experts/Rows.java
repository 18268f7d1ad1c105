package dev.headroom.model.family.experts;

import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;

/** Sizes of all tokens of a batch together. */
final class Rows {
    private Rows() {}

    static SymExpr tokens(Request request) {
        return SymExpr.call("Mul", Request.BATCH, request.length());
    }
}
