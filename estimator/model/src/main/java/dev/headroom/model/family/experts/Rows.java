package dev.headroom.model.family.experts;

import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.SymExpr;

/** Sizes of all tokens of a batch together. */
final class Rows {
    private Rows() {}

    static SymExpr tokens(Request request) {
        return SymExpr.call("Mul", Request.BATCH, request.length());
    }

    /** Those of an expert that was hit. */
    static SymExpr ofExpert(Request request, ExpertsShape shape) {
        if (request.options().routing() == ModelOptions.Routing.WORST) {
            return tokens(request);
        }
        SymExpr chosen = SymExpr.call("Mul", tokens(request), SymExpr.of(shape.chosen()));
        SymExpr mean = SymExpr.call("CeilDiv", chosen, SymExpr.of(shape.count()));
        return SymExpr.call("Max", SymExpr.of(1), mean);
    }
}
