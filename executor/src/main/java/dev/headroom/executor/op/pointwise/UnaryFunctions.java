package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.elementwise.ErrorFunction;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Functions of one operand (aten/src/ATen/native/UnaryOps.cpp); derivatives as in derivatives.yaml, operands evaluated
 * from the right as GCC does.
 */
public final class UnaryFunctions {
    /** What the backward pass looks at. */
    private enum Saves {
        OPERAND,
        RESULT,
        NOTHING
    }

    /** The operand's gradient of the result's and of what was saved, or the former again where nothing was. */
    private interface Derivative {
        @Nullable
        Tensor of(Steps s, Tensor g, Tensor saved);
    }

    /** @param keepsType whether whole numbers stay whole numbers */
    private record Row(String name, Formula forward, Saves saves, Derivative derivative, boolean keepsType) {}

    private static final Formula SINH = Formula.unary("sinh", "sinh(x0)", Math::sinh);
    private static final Formula COSH = Formula.unary("cosh", "cosh(x0)", Math::cosh);
    private static final double DEGREES = 180 / Math.PI;

    private static final List<Row> ROWS = List.of(
            of("acos", "acos(x0)", Math::acos, Saves.OPERAND, (s, g, x) -> {
                Tensor root = s.of(Formulas.RSQRT, s.plus(s.times(s.negative(x), x), 1));
                return s.times(g, s.negative(root));
            }),
            of(
                    "asin",
                    "asin(x0)",
                    Math::asin,
                    Saves.OPERAND,
                    (s, g, x) -> s.times(g, s.of(Formulas.RSQRT, s.plus(s.times(s.negative(x), x), 1)))),
            of("atan", "atan(x0)", Math::atan, Saves.OPERAND, (s, g, x) -> s.over(g, s.plus(s.times(x, x), 1))),
            of(
                    "acosh",
                    "acosh(x0)",
                    x -> Math.log(x + Math.sqrt(x * x - 1)),
                    Saves.OPERAND,
                    (s, g, x) -> s.times(g, s.of(Formulas.RSQRT, s.plus(s.power(x, 2), -1)))),
            of(
                    "asinh",
                    "asinh(x0)",
                    UnaryFunctions::asinh,
                    Saves.OPERAND,
                    (s, g, x) -> s.times(g, s.of(Formulas.RSQRT, s.plus(s.power(x, 2), 1)))),
            of("atanh", "atanh(x0)", x -> Math.log1p(2 * x / (1 - x)) / 2, Saves.OPERAND, (s, g, x) -> {
                Tensor below = s.from(1, s.power(x, 2));
                return s.over(s.times(g, 1), below);
            }),
            of("sinh", "sinh(x0)", Math::sinh, Saves.OPERAND, (s, g, x) -> s.times(g, s.of(COSH, x))),
            of("cosh", "cosh(x0)", Math::cosh, Saves.OPERAND, (s, g, x) -> s.times(g, s.of(SINH, x))),
            of("tan", "tan(x0)", Math::tan, Saves.RESULT, (s, g, y) -> s.times(g, s.plus(s.power(y, 2), 1))),
            of("expm1", "expm1(x0)", Math::expm1, Saves.RESULT, (s, g, y) -> s.times(g, s.plus(y, 1))),
            of("log1p", "log1p(x0)", Math::log1p, Saves.OPERAND, (s, g, x) -> s.over(g, s.plus(x, 1))),
            of(
                    "log2",
                    "log2(x0)",
                    x -> Math.log(x) / Math.log(2),
                    Saves.OPERAND,
                    (s, g, x) -> s.over(g, s.times(x, Math.log(2)))),
            of("log10", "log10(x0)", Math::log10, Saves.OPERAND, (s, g, x) -> s.over(g, s.times(x, Math.log(10)))),
            of("erf", "erf(x0)", ErrorFunction::erf, Saves.OPERAND, (s, g, x) -> {
                Tensor bell = s.of(Formulas.EXP, s.negative(s.power(x, 2)));
                return s.times(s.times(bell, 2 / Math.sqrt(Math.PI)), g);
            }),
            of("erfc", "erfc(x0)", x -> 1 - ErrorFunction.erf(x), Saves.OPERAND, (s, g, x) -> {
                Tensor bell = s.of(Formulas.EXP, s.negative(s.power(x, 2)));
                return s.times(s.times(bell, -2 / Math.sqrt(Math.PI)), g);
            }),
            of("exp2", "exp2(x0)", x -> Math.pow(2, x), Saves.RESULT, (s, g, y) -> s.times(s.times(g, y), Math.log(2))),
            stepped("ceil", "ceil(x0)", Math::ceil),
            stepped("floor", "floor(x0)", Math::floor),
            stepped("round", "rint(x0)", Math::rint),
            stepped("trunc", "trunc(x0)", UnaryFunctions::truncated),
            stepped("sign", "(real) ((x0 > 0) - (x0 < 0))", x -> x > 0 ? 1 : x < 0 ? -1 : 0),
            new Row(
                    "frac",
                    Formula.unary("frac", "x0 - trunc(x0)", x -> x - truncated(x)),
                    Saves.NOTHING,
                    (s, g, x) -> g,
                    true),
            row("digamma", SpecialNumbers.DIGAMMA, (s, g, x) -> {
                Tensor slope = Elementwise.unary(s.e(), SpecialNumbers.POLYGAMMA, x, 1);
                return s.times(g, slope);
            }),
            row("lgamma", SpecialNumbers.LOG_GAMMA, (s, g, x) -> s.times(g, s.of(SpecialNumbers.DIGAMMA, x))),
            row("erfinv", SpecialNumbers.INVERSE_ERROR, (s, g, x) -> {
                Tensor bell = s.of(Formulas.EXP, s.power(s.of(SpecialNumbers.INVERSE_ERROR, x), 2));
                return s.times(s.times(bell, Math.sqrt(Math.PI) / 2), g);
            }),
            row("i0", SpecialNumbers.I0, (s, g, x) -> SpecialFunctions.ofOrderZero(s, g, x)),
            new Row("sgn", Formulas.SIGN, Saves.NOTHING, (s, g, x) -> null, true),
            of("deg2rad", "x0 * " + 1 / DEGREES, x -> x / DEGREES, Saves.NOTHING, (s, g, x) -> s.times(g, 1 / DEGREES)),
            of("rad2deg", "x0 * " + DEGREES, x -> x * DEGREES, Saves.NOTHING, (s, g, x) -> s.times(g, DEGREES)));

    /** Those whose fresh results other families make. */
    private static final List<Row> IN_PLACE = List.of(
            of("sin", "sin(x0)", Math::sin, Saves.OPERAND, (s, g, x) -> s.times(g, s.of(Formulas.COS, x))),
            of("cos", "cos(x0)", Math::cos, Saves.OPERAND, (s, g, x) -> s.times(g, s.negative(s.of(Formulas.SIN, x)))),
            of("abs", "fabs(x0)", Math::abs, Saves.OPERAND, (s, g, x) -> s.times(g, s.of(Formulas.SIGN, x))),
            of("neg", "-x0", x -> -x, Saves.NOTHING, (s, g, x) -> s.negative(g)),
            of("rsqrt", "1 / sqrt(x0)", x -> 1 / Math.sqrt(x), Saves.RESULT, (s, g, y) -> {
                Tensor cube = s.power(y, 3);
                return s.times(s.times(g, -0.5), cube);
            }),
            of("reciprocal", "1 / x0", x -> 1 / x, Saves.RESULT, (s, g, y) -> s.times(g, s.negative(s.times(y, y)))));

    private UnaryFunctions() {}

    private static Row of(String name, String cuda, DoubleUnaryOperator host, Saves saves, Derivative derivative) {
        return new Row(name, Formula.unary(name, cuda, host), saves, derivative, false);
    }

    private static Row row(String name, Formula forward, Derivative derivative) {
        return new Row(name, forward, Saves.OPERAND, derivative, false);
    }

    /** A function of steps, whose gradient is zeros. */
    private static Row stepped(String name, String cuda, DoubleUnaryOperator host) {
        return new Row(name, Formula.unary(name, cuda, host), Saves.NOTHING, (s, g, x) -> s.zeros(g), true);
    }

    private static double truncated(double x) {
        return x < 0 ? Math.ceil(x) : Math.floor(x);
    }

    private static double asinh(double x) {
        return Math.copySign(Math.log(Math.abs(x) + Math.sqrt(x * x + 1)), x);
    }

    public static void register(Operators o) {
        for (Row row : ROWS) {
            o.add1("aten." + row.name(), (e, a) -> apply(e, row, a.tensor("self")));
            o.add1("aten." + row.name() + "_", (e, a) -> inPlace(e, row, a.tensor("self")));
        }
        for (Row row : IN_PLACE) {
            o.add1("aten." + row.name() + "_", (e, a) -> inPlace(e, row, a.tensor("self")));
        }
    }

    private static String node(Row row) {
        return row.name().substring(0, 1).toUpperCase(Locale.ROOT) + row.name().substring(1) + "Backward0";
    }

    private static Tensor apply(Eager e, Row row, Tensor x) {
        Recorder r = e.record(node(row), x);
        SavedTensor operand = r.saveIf(row.saves() == Saves.OPERAND, x);
        Tensor out = Elementwise.map(
                e, row.forward(), row.keepsType() ? x.dtype() : Promotion.floating(x.dtype()), new double[0], x);
        return finished(e, row, r, operand, out).output(out);
    }

    private static Tensor inPlace(Eager e, Row row, Tensor x) {
        Recorder r = e.record(node(row), x);
        SavedTensor operand = r.save(null);
        if (row.saves() == Saves.OPERAND && r.records()) {
            Tensor copy = e.emptyLike(x);
            Copies.fill(e, copy, x);
            operand = r.save(copy);
            e.free(copy);
        }
        Elementwise.into(e, row.forward(), x, x);
        r.changed(x);
        finished(e, row, r, operand, x);
        return x;
    }

    private static Recorder finished(Eager e, Row row, Recorder r, SavedTensor operand, Tensor out) {
        SavedTensor seen = row.saves() == Saves.RESULT ? r.saveOutput(out) : operand;
        return r.backward(g -> {
            try (Scope s = e.open()) {
                return new Tensor[] {s.pass(row.derivative().of(new Steps(e), g[0], seen.getOr(g[0])))};
            }
        });
    }
}
