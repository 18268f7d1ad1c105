package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.registry.Operators;

/** Activations beside the classic ones (aten/src/ATen/native/Activation.cpp). */
public final class ActivationOperators {
    private static final Activation SILU = new Activation(
            "SiluBackward0",
            Formula.unary("silu", "x0 / (1 + exp(-x0))", x -> x / (1 + Math.exp(-x))),
            Formula.binary(
                    "silu_backward",
                    "x0 / (1 + exp(-x1)) * (1 + x1 * (1 - 1 / (1 + exp(-x1))))",
                    (g, x) -> g / (1 + Math.exp(-x)) * (1 + x * (1 - 1 / (1 + Math.exp(-x))))),
            false);
    private static final Activation HARDSWISH = new Activation(
            "HardswishBackward0",
            Formula.unary(
                    "hardswish",
                    "x0 * fmin(fmax(x0 + 3, (real)0), (real)6) / 6",
                    x -> x * Math.min(Math.max(x + 3, 0), 6) / 6),
            Formula.binary(
                    "hardswish_backward",
                    "x1 <= -3 ? 0 : x1 < 3 ? x0 * (x1 / 3 + (real)0.5) : x0",
                    (g, x) -> x <= -3 ? 0 : x < 3 ? g * (x / 3 + 0.5) : g),
            false);
    private static final Activation HARDSIGMOID = new Activation(
            "HardsigmoidBackward0",
            Formula.unary(
                    "hardsigmoid",
                    "fmin(fmax(x0 + 3, (real)0), (real)6) / 6",
                    x -> Math.min(Math.max(x + 3, 0), 6) / 6),
            Formula.binary(
                    "hardsigmoid_backward", "x1 > -3 && x1 < 3 ? x0 / 6 : 0", (g, x) -> x > -3 && x < 3 ? g / 6 : 0),
            false);

    private static final Formula CLIP = new Formula(
            "hardtanh", "y0 = fmin(fmax(x0, s0), s1);", (x, s, y) -> y[0] = Math.min(Math.max(x[0], s[0]), s[1]));
    private static final Formula CLIP_BACKWARD = new Formula(
            "hardtanh_backward",
            "y0 = x1 <= s0 || x1 >= s1 ? 0 : x0;",
            (x, s, y) -> y[0] = x[1] <= s[0] || x[1] >= s[1] ? 0 : x[0]);
    private static final Activation HARDTANH = new Activation("HardtanhBackward0", CLIP, CLIP_BACKWARD, false);

    private static final Formula LEAKY =
            new Formula("leaky_relu", "y0 = x0 > 0 ? x0 : x0 * s0;", (x, s, y) -> y[0] = x[0] > 0 ? x[0] : x[0] * s[0]);
    private static final Formula LEAKY_BACKWARD = new Formula(
            "leaky_relu_backward", "y0 = x1 > 0 ? x0 : x0 * s0;", (x, s, y) -> y[0] = x[1] > 0 ? x[0] : x[0] * s[0]);
    private static final Activation LEAKY_RELU =
            new Activation("LeakyReluBackward0", LEAKY, LEAKY_BACKWARD, false, true);
    private static final Activation LEAKY_RELU_IN_PLACE =
            new Activation("LeakyReluBackward1", LEAKY, LEAKY_BACKWARD, true, true);

    /** Numbers: alpha and scale. */
    private static final Formula ELU = new Formula(
            "elu",
            "y0 = x0 > 0 ? s1 * x0 : s1 * s0 * expm1(x0);",
            (x, s, y) -> y[0] = x[0] > 0 ? s[1] * x[0] : s[1] * s[0] * Math.expm1(x[0]));

    private static final Activation ELU_FRESH = new Activation(
            "EluBackward0",
            ELU,
            new Formula(
                    "elu_backward",
                    "y0 = x1 <= 0 ? x0 * s1 * s0 * exp(x1) : x0 * s1;",
                    (x, s, y) -> y[0] = x[1] <= 0 ? x[0] * s[1] * s[0] * Math.exp(x[1]) : x[0] * s[1]),
            false);
    private static final Activation ELU_IN_PLACE = new Activation(
            "EluBackward1",
            ELU,
            new Formula(
                    "elu_backward_result",
                    "y0 = x1 <= 0 ? x0 * (x1 + s1 * s0) : x0 * s1;",
                    (x, s, y) -> y[0] = x[1] <= 0 ? x[0] * (x[1] + s[1] * s[0]) : x[0] * s[1]),
            true);

    /** Numbers: beta and threshold. */
    private static final Activation SOFTPLUS = new Activation(
            "SoftplusBackward0",
            new Formula(
                    "softplus",
                    "y0 = x0 * s0 > s1 ? x0 : log1p(exp(x0 * s0)) / s0;",
                    (x, s, y) -> y[0] = x[0] * s[0] > s[1] ? x[0] : Math.log1p(Math.exp(x[0] * s[0])) / s[0]),
            new Formula(
                    "softplus_backward",
                    "y0 = x1 * s0 > s1 ? x0 : x0 / (1 + exp(-x1 * s0));",
                    (x, s, y) -> y[0] = x[1] * s[0] > s[1] ? x[0] : x[0] / (1 + Math.exp(-x[1] * s[0]))),
            false);

    private static final Activation MISH = new Activation(
            "MishBackward0",
            Formula.unary("mish", "x0 * tanh(log1p(exp(x0)))", x -> x * Math.tanh(Math.log1p(Math.exp(x)))),
            new Formula(
                    "mish_backward",
                    "real t = tanh(log1p(exp(x1))); y0 = x0 * (t + x1 * (1 - t * t) / (1 + exp(-x1)));",
                    (x, s, y) -> {
                        double t = Math.tanh(Math.log1p(Math.exp(x[1])));
                        y[0] = x[0] * (t + x[1] * (1 - t * t) / (1 + Math.exp(-x[1])));
                    }),
            false);

    /** Of selu, so that means and variances stay (Activation.cpp). */
    private static final double[] SELU = {1.6732632423543772, 1.0507009873554805};

    private ActivationOperators() {}

    public static void register(Operators o) {
        plain(o, "aten.silu", SILU);
        plain(o, "aten.hardswish", HARDSWISH);
        plain(o, "aten.hardsigmoid", HARDSIGMOID);
        plain(o, "aten.mish", MISH);
        o.add1("aten.relu6", (e, a) -> HARDTANH.apply(e, a.tensor("self"), 0, 6));
        o.add1("aten.relu6_", (e, a) -> HARDTANH.applyInPlace(e, a.tensor("self"), 0, 6));
        o.add1(
                "aten.hardtanh",
                (e, a) -> HARDTANH.apply(e, a.tensor("self"), a.real("min_val", -1), a.real("max_val", 1)));
        o.add1(
                "aten.hardtanh_",
                (e, a) -> HARDTANH.applyInPlace(e, a.tensor("self"), a.real("min_val", -1), a.real("max_val", 1)));
        o.add1("aten.leaky_relu", (e, a) -> LEAKY_RELU.apply(e, a.tensor("self"), a.real("negative_slope", 0.01)));
        o.add1(
                "aten.leaky_relu_",
                (e, a) -> LEAKY_RELU_IN_PLACE.applyInPlace(e, a.tensor("self"), a.real("negative_slope", 0.01)));
        o.add1("aten.elu", (e, a) -> ELU_FRESH.apply(e, a.tensor("self"), a.real("alpha", 1), a.real("scale", 1)));
        o.add1("aten.selu", (e, a) -> ELU_FRESH.apply(e, a.tensor("self"), SELU));
        o.add1("aten.selu_", (e, a) -> ELU_IN_PLACE.applyInPlace(e, a.tensor("self"), SELU));
        o.add1(
                "aten.elu_",
                (e, a) -> ELU_IN_PLACE.applyInPlace(e, a.tensor("self"), a.real("alpha", 1), a.real("scale", 1)));
        o.add1(
                "aten.softplus",
                (e, a) -> SOFTPLUS.apply(e, a.tensor("self"), a.real("beta", 1), a.real("threshold", 20)));
    }

    private static void plain(Operators o, String name, Activation f) {
        o.add1(name, (e, a) -> f.apply(e, a.tensor("self")));
        o.add1(name + "_", (e, a) -> f.applyInPlace(e, a.tensor("self")));
    }
}
