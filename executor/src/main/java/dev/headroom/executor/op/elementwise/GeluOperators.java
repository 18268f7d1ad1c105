package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.registry.Operators;

/** {@code gelu} (aten/src/ATen/native/cuda/ActivationGeluKernel.cu). */
public final class GeluOperators {
    private static final double ROOT_HALF = Math.sqrt(0.5);
    private static final double DENSITY = 1 / Math.sqrt(2 * Math.PI);
    private static final double SLOPE = Math.sqrt(2 / Math.PI);
    private static final double CUBE = 0.044715;

    static final Activation EXACT = new Activation(
            "GeluBackward0",
            Formula.unary(
                    "gelu",
                    "x0 * (real) 0.5 * (1 + erf(x0 * (real) 0.70710678118654752440))",
                    x -> x * 0.5 * (1 + ErrorFunction.erf(x * ROOT_HALF))),
            Formula.binary(
                    "gelu_backward",
                    "x0 * ((real) 0.5 * (1 + erf(x1 * (real) 0.70710678118654752440))"
                            + " + x1 * exp((real) -0.5 * x1 * x1) * (real) 0.39894228040143267794)",
                    (g, x) ->
                            g * (0.5 * (1 + ErrorFunction.erf(x * ROOT_HALF)) + x * Math.exp(-0.5 * x * x) * DENSITY)),
            false);

    static final Activation TANH = new Activation(
            "GeluBackward0",
            Formula.unary(
                    "gelu_tanh",
                    "(real) 0.5 * x0 * (1 + tanh((real) 0.79788456080286535588"
                            + " * (x0 + (real) 0.044715 * x0 * x0 * x0)))",
                    x -> 0.5 * x * (1 + Math.tanh(SLOPE * (x + CUBE * x * x * x)))),
            new Formula(
                    "gelu_tanh_backward",
                    "real t = tanh((real) 0.79788456080286535588 * (x1 + (real) 0.044715 * x1 * x1 * x1));"
                            + " y0 = x0 * ((real) 0.5 * (1 + t) + (real) 0.5 * x1 * (1 - t * t)"
                            + " * (real) 0.79788456080286535588 * (1 + 3 * (real) 0.044715 * x1 * x1));",
                    (x, s, y) -> y[0] = x[0] * tanhSlope(x[1])),
            false);

    private GeluOperators() {}

    public static void register(Operators o) {
        o.add1("aten.gelu", (e, a) -> (a.text("approximate", "none").equals("tanh") ? TANH : EXACT)
                .apply(e, a.tensor("self")));
        o.add1("aten.gelu_", (e, a) -> (a.text("approximate", "none").equals("tanh") ? TANH : EXACT)
                .applyInPlace(e, a.tensor("self")));
    }

    private static double tanhSlope(double x) {
        double t = Math.tanh(SLOPE * (x + CUBE * x * x * x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * SLOPE * (1 + 3 * CUBE * x * x);
    }
}
