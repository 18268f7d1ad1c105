package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.elementwise.ComparisonOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Truths about numbers, and functions that have a gradient of their own kind: replaced infinities, angles, logits
 * (aten/src/ATen/native/TensorCompare.cpp, UnaryOps.cpp; torch/csrc/autograd/FunctionsManual.cpp).
 */
public final class TruthFunctions {
    private static final Formula INFINITE =
            Formula.unary("is_infinite", "isinf(x0)", x -> Double.isInfinite(x) ? 1 : 0);
    private static final Formula BOUNDED =
            Formula.unary("is_bounded", "x0 != INFINITY", x -> x != Double.POSITIVE_INFINITY ? 1 : 0);
    private static final Formula CLEARED = Formula.binary("cleared_if", "x1 != 0 ? 0 : x0", (a, b) -> b != 0 ? 0 : a);
    private static final Formula REPLACED = new Formula(
            "nan_to_num",
            "y0 = x0 != x0 ? s0 : isinf(x0) ? (x0 > 0 ? s1 : s2) : x0;",
            (x, s, y) -> y[0] = Double.isNaN(x[0]) ? s[0] : Double.isInfinite(x[0]) ? (x[0] > 0 ? s[1] : s[2]) : x[0]);
    private static final Formula LOGIT = new Formula(
            "logit",
            "real z = s1 < 0 ? x0 : x0 < s1 ? s1 : x0 > 1 - s1 ? 1 - s1 : x0; y0 = log(z / (1 - z));",
            (x, s, y) -> {
                double z = s[1] < 0 ? x[0] : Math.max(s[1], Math.min(x[0], 1 - s[1]));
                y[0] = Math.log(z / (1 - z));
            });
    private static final Formula LOGIT_GRADIENT = new Formula(
            "logit_backward",
            "y0 = s1 >= 0 && (x1 < s1 || x1 > 1 - s1) ? 0 : x0 / (x1 * (1 - x1));",
            (x, s, y) -> y[0] = s[1] >= 0 && (x[1] < s[1] || x[1] > 1 - s[1]) ? 0 : x[0] / (x[1] * (1 - x[1])));
    private static final Formula ANGLE =
            Formula.unary("angle", "x0 < 0 ? 3.14159265358979323846 : 0 * x0", x -> x < 0 ? Math.PI : 0 * x);
    private static final Formula ATAN2 = Formula.binary("atan2", "atan2(x0, x1)", Math::atan2);
    private static final Formula SINC = Formula.unary(
            "sinc",
            "x0 == 0 ? 1 : sin(3.14159265358979323846 * x0) / (3.14159265358979323846 * x0)",
            x -> x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

    private TruthFunctions() {}

    public static void register(Operators o) {
        truth(o, "isnan", Formula.unary("isnan", "x0 != x0", x -> Double.isNaN(x) ? 1 : 0));
        truth(
                o,
                "isposinf",
                Formula.unary("isposinf", "isinf(x0) && x0 > 0", x -> x == Double.POSITIVE_INFINITY ? 1 : 0));
        truth(
                o,
                "isneginf",
                Formula.unary("isneginf", "isinf(x0) && x0 < 0", x -> x == Double.NEGATIVE_INFINITY ? 1 : 0));
        truth(
                o,
                "signbit",
                Formula.unary("signbit", "copysign((real) 1, x0) < 0", x -> Math.copySign(1, x) < 0 ? 1 : 0));
        o.add1(
                "aten.isinf",
                (e, a) -> e.call(() -> {
                    Steps s = new Steps(e);
                    return s.truth(INFINITE, s.of(Formulas.ABS, a.tensor("self")));
                }));
        o.add1("aten.isfinite", (e, a) -> finite(new Steps(e), a.tensor("self")));
        o.add1("aten.nan_to_num", (e, a) -> replaced(e, a, false));
        o.add1("aten.nan_to_num_", (e, a) -> replaced(e, a, true));
        o.add1("aten.logit", (e, a) -> logit(e, a, false));
        o.add1("aten.logit_", (e, a) -> logit(e, a, true));
        o.add1("aten.angle", (e, a) -> {
            Tensor x = a.tensor("self");
            Recorder r = e.record("AngleBackward0", x);
            r.save(x);
            return r.backward(g -> new Tensor[] {new Steps(e).zeros(g[0])}).output(Elementwise.unary(e, ANGLE, x));
        });
        o.add1("aten.sinc", (e, a) -> sinc(e, a.tensor("self")));
        o.add1("aten.atan2", (e, a) -> angle(e, a.tensor("self"), a.tensor("other")));
        o.add1("aten.zero_", (e, a) -> {
            Tensor x = a.tensor("self");
            Recorder r = e.record("ZeroBackward0", x);
            Elementwise.fill(e, x, 0);
            r.backward(g -> new Tensor[] {new Steps(e).zeros(g[0])});
            return r.changed(x);
        });
        bits(o, "left_shift", "<<", (a, b) -> (long) a << (long) b);
        bits(o, "right_shift", ">>", (a, b) -> (long) a >> (long) b);
        ComparisonOperators.inPlace(o, "heaviside", STEP, "values");
        o.add1("aten.heaviside", (e, a) -> new Steps(e).of(STEP, a.tensor("self"), a.tensor("values")));
    }

    private static final Formula STEP =
            Formula.binary("heaviside", "x0 == 0 ? x1 : x0 < 0 ? 0 : 1", (x, y) -> x == 0 ? y : x < 0 ? 0 : 1);

    private static void truth(Operators o, String name, Formula formula) {
        o.add1("aten." + name, (e, a) -> new Steps(e).truth(formula, a.tensor("self")));
    }

    private static void bits(Operators o, String name, String sign, java.util.function.DoubleBinaryOperator host) {
        Formula formula =
                Formula.binary("bitwise_" + name, "(real) ((long long) x0 " + sign + " (long long) x1)", host);
        o.add1("aten.bitwise_" + name, (e, a) -> new Steps(e)
                .of(formula, a.tensor("self"), ComparisonOperators.operand(a, "other")));
        ComparisonOperators.unrecorded(o, "bitwise_" + name + "_", formula, "other");
        ComparisonOperators.unrecorded(o, "__i" + name.charAt(0) + "shift__", formula, "other");
    }

    private static Tensor finite(Steps s, Tensor x) {
        return s.e().call(() -> {
            Tensor magnitude = s.of(Formulas.ABS, x);
            Tensor bounded = s.truth(BOUNDED, magnitude);
            Tensor number = s.truth(Formulas.EQUAL, x, x);
            return s.times(number, bounded);
        });
    }

    private static Tensor changed(Eager e, Tensor x, Formula formula, double[] numbers, boolean inPlace) {
        if (inPlace) {
            Elementwise.into(e, formula, numbers, x, x);
            return x;
        }
        return Elementwise.map(e, formula, Promotion.floating(x.dtype()), numbers, x);
    }

    private static SavedTensor kept(Eager e, Recorder r, Tensor x, boolean inPlace) {
        if (!inPlace || !r.records()) {
            return r.save(x);
        }
        Tensor copy = e.emptyLike(x);
        Copies.fill(e, copy, x);
        SavedTensor saved = r.save(copy);
        e.free(copy);
        return saved;
    }

    private static Tensor replaced(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        double most =
                switch (x.dtype()) {
                    case FLOAT16 -> 65504;
                    case BFLOAT16 -> 3.3895313892515355e38;
                    case FLOAT64 -> Double.MAX_VALUE;
                    default -> Float.MAX_VALUE;
                };
        double[] numbers = {a.real("nan", 0), a.real("posinf", most), a.real("neginf", -most)};
        Recorder r = e.record("NanToNumBackward0", x);
        SavedTensor saved = kept(e, r, x, inPlace);
        Tensor out = x;
        if (inPlace) {
            Elementwise.into(e, REPLACED, numbers, x, x);
        } else {
            out = Elementwise.unary(e, REPLACED, x, numbers);
        }
        r.backward(g -> new Tensor[] {
            e.call(() -> {
                Steps s = new Steps(e);
                return s.times(g[0], finite(s, saved.get()));
            })
        });
        return inPlace ? r.changed(out) : r.output(out);
    }

    private static Tensor logit(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        double[] numbers = {0, a.real("eps", -1)};
        Recorder r = e.record("LogitBackward0", x);
        SavedTensor saved = kept(e, r, x, inPlace);
        Tensor out = changed(e, x, LOGIT, numbers, inPlace);
        r.backward(g -> new Tensor[] {Elementwise.map(e, LOGIT_GRADIENT, g[0].dtype(), numbers, g[0], saved.get())});
        return inPlace ? r.changed(out) : r.output(out);
    }

    /** sinc_backward. */
    private static Tensor sinc(Eager e, Tensor x) {
        Recorder r = e.record("SincBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor out = Elementwise.map(e, SINC, Promotion.floating(x.dtype()), new double[0], x);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Steps s = new Steps(e);
                        Tensor angle = s.times(saved.get(), Math.PI);
                        Tensor square = s.times(saved.get(), saved.get());
                        Tensor scaled = s.times(square, Math.PI);
                        e.free(square);
                        Tensor ratio = e.call(() -> {
                            Tensor sine = s.of(Formulas.SIN, angle);
                            Tensor cosine = s.times(angle, s.of(Formulas.COS, angle));
                            return s.times(g[0], s.over(s.minus(cosine, sine), scaled));
                        });
                        e.empty(g[0].dtype()); // zero, on the device
                        return s.masked(CLEARED, ratio, s.truth(Formulas.EQUALS_ZERO, scaled));
                    })
                })
                .output(out);
    }

    /** atan2_backward, both at once. */
    private static Tensor angle(Eager e, Tensor x, Tensor y) {
        Recorder r = e.record("Atan2Backward0", x, y);
        SavedTensor savedX = r.save(x);
        SavedTensor savedY = r.save(y);
        DType type = Promotion.floating(Promotion.common(x, y));
        Tensor out = Elementwise.map(e, ATAN2, type, new double[0], x, y);
        return r.backward(g -> {
                    Tensor[] both = new Tensor[2];
                    try (var scope = e.open()) {
                        Steps s = new Steps(e);
                        Tensor first = s.times(savedY.get(), savedY.get());
                        Tensor second = s.times(savedX.get(), savedX.get());
                        Tensor sum = s.add(first, second);
                        e.free(second);
                        e.free(first);
                        Tensor inverse = s.inverse(1, sum);
                        Tensor zero = s.truth(Formulas.EQUALS_ZERO, sum);
                        Elementwise.into(e, CLEARED, inverse, inverse, zero);
                        e.free(zero);
                        both[0] = r.needs(0) ? scope.pass(s.times(g[0], s.times(savedY.get(), inverse))) : null;
                        both[1] = r.needs(1)
                                ? scope.pass(s.times(g[0], s.times(s.negative(savedX.get()), inverse)))
                                : null;
                    }
                    return both;
                })
                .output(out);
    }
}
