package dev.headroom.model.onnx.op;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.List;

/**
 * The elements of a small tensor.
 *
 * @param scalar whether it has no dimension; otherwise it has one
 * @param integers of a tensor of integers or booleans
 * @param reals of a tensor of floating point; NaN where only its being a number matters
 */
record Content(DType type, boolean scalar, List<SymExpr> integers, List<Double> reals) {
    static Content of(DType type, boolean scalar, List<SymExpr> integers) {
        return new Content(type, scalar, List.copyOf(integers), List.of());
    }

    static Content real(DType type, boolean scalar, List<Double> reals) {
        return new Content(type, scalar, List.of(), List.copyOf(reals));
    }

    boolean isReal() {
        return type.isFloatingPoint();
    }

    int size() {
        return isReal() ? reals.size() : integers.size();
    }

    List<SymExpr> sizes() {
        return scalar ? List.of() : List.of(SymExpr.of(size()));
    }

    /** The only element, as calls take it. */
    Object number() {
        return isReal() ? (Object) reals.get(0) : integers.get(0);
    }
}
