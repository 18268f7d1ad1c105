package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.registry.Operators;

/** Activations and arithmetic. */
public final class ElementwiseOperators {
    public static final Activation RELU = new Activation(
            "ReluBackward0",
            Formula.unary("relu", "x0 > 0 ? x0 : 0 * x0", x -> x > 0 ? x : 0 * x),
            Formula.binary("relu_backward", "x1 > 0 ? x0 : 0", (g, y) -> y > 0 ? g : 0),
            true,
            true);
    static final Activation SIGMOID = new Activation(
            "SigmoidBackward0",
            Formula.unary("sigmoid", "1 / (1 + exp(-x0))", x -> 1 / (1 + Math.exp(-x))),
            Formula.binary("sigmoid_backward", "x0 * (1 - x1) * x1", (g, y) -> g * (1 - y) * y),
            true);
    public static final Activation TANH = new Activation(
            "TanhBackward0",
            Formula.unary("tanh", "tanh(x0)", Math::tanh),
            Formula.binary("tanh_backward", "x0 * (1 - x1 * x1)", (g, y) -> g * (1 - y * y)),
            true);

    private ElementwiseOperators() {}

    public static void register(Operators o) {
        o.add1("aten.relu", (e, a) -> RELU.apply(e, a.tensor("self")));
        o.add1("aten.relu_", (e, a) -> RELU.applyInPlace(e, a.tensor("self")));
        o.add1("aten.sigmoid", (e, a) -> SIGMOID.apply(e, a.tensor("self")));
        o.add1("aten.sigmoid_", (e, a) -> SIGMOID.applyInPlace(e, a.tensor("self")));
        o.add1("aten.tanh", (e, a) -> TANH.apply(e, a.tensor("self")));
        o.add1("aten.tanh_", (e, a) -> TANH.applyInPlace(e, a.tensor("self")));
    }
}
