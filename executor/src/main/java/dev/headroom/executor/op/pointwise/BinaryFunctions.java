package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.elementwise.ArithmeticOperators;
import dev.headroom.executor.op.elementwise.ComparisonOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Functions of two operands, of which the second may be a number (aten/src/ATen/native/BinaryOps.cpp); derivatives as
 * in derivatives.yaml, operands evaluated from the right as GCC does.
 */
public final class BinaryFunctions {
    /** An operand's gradient of the result's and of what was saved; the former stands for what was not. */
    private interface Derivative {
        Tensor of(Steps s, Tensor g, Tensor x, Tensor y, Tensor result);
    }

    /** What the gradients look at. */
    private enum Saves {
        /** The second one's looks at both operands, the first one's at nothing. */
        FOR_SECOND,
        /** Each looks at its own operand and at the result. */
        OWN_AND_RESULT,
        BOTH
    }

    /**
     * @param keepsType whether whole numbers stay whole numbers
     * @param first the first operand's gradient; {@code null} for the result's own
     */
    private record Row(
            String name,
            String node,
            Formula forward,
            boolean keepsType,
            Saves saves,
            @Nullable Derivative first,
            Derivative second) {}

    private static final Formula NOT_POSITIVE = Formula.unary("not_positive", "x0 <= 0", x -> x <= 0 ? 1 : 0);
    private static final Formula XLOGY =
            Formula.binary("xlogy", "x0 == 0 ? 0 : x0 * log(x1)", (a, b) -> a == 0 ? 0 : a * Math.log(b));

    private static final Formula XLOG1PY =
            Formula.binary("xlog1py", "x0 == 0 ? 0 : x0 * log1p(x1)", (a, b) -> a == 0 ? 0 : a * Math.log1p(b));
    private static final Formula BELOW_ONE = Formula.unary("below_minus_one", "x0 <= -1", x -> x <= -1 ? 1 : 0);

    private static final Formula LOG_SUM = Formula.binary(
            "logaddexp",
            "(x0 > x1 ? x0 : x1) + log1p(exp(-fabs(x0 - x1)))",
            (a, b) -> Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b))));

    private static final List<Row> ROWS = List.of(
            remainder(
                    "remainder",
                    "Remainder",
                    Formula.binary("remainder", "x0 - x1 * floor(x0 / x1)", (a, b) -> a - b * Math.floor(a / b)),
                    ArithmeticOperators.FLOORED),
            remainder(
                    "fmod",
                    "Fmod",
                    Formula.binary("fmod", "fmod(x0, x1)", (a, b) -> a % b),
                    ArithmeticOperators.TRUNCATED),
            new Row(
                    "hypot",
                    "HypotBackward0",
                    Formula.binary("hypot", "hypot(x0, x1)", Math::hypot),
                    true,
                    Saves.OWN_AND_RESULT,
                    (s, g, x, y, out) -> s.over(s.times(g, x), out),
                    (s, g, x, y, out) -> s.over(s.times(g, y), out)),
            new Row(
                    "xlogy",
                    "XlogyBackward0",
                    XLOGY,
                    false,
                    Saves.BOTH,
                    (s, g, x, y, out) -> {
                        Tensor product = s.of(XLOGY, g, y);
                        Tensor below = s.truth(NOT_POSITIVE, y);
                        Tensor undefined = s.truth(Formulas.BOTH, s.truth(Formulas.EQUALS_ZERO, x), below);
                        return s.masked(Formulas.CLEARED, product, undefined);
                    },
                    (s, g, x, y, out) -> s.over(s.times(g, x), y)));

    /** Those that change nothing in place. */
    private static final List<Row> FRESH = List.of(
            new Row(
                    "special_xlog1py",
                    "SpecialXlog1PyBackward0",
                    XLOG1PY,
                    false,
                    Saves.BOTH,
                    (s, g, x, y, out) -> {
                        Tensor product = s.of(XLOG1PY, g, y);
                        Tensor below = s.truth(BELOW_ONE, y);
                        Tensor undefined = s.truth(Formulas.BOTH, s.truth(Formulas.EQUALS_ZERO, x), below);
                        return s.masked(Formulas.CLEARED, product, undefined);
                    },
                    (s, g, x, y, out) -> {
                        Tensor more = s.plus(y, 1);
                        return s.over(s.times(g, x), more);
                    }),
            new Row(
                    "logaddexp",
                    "LogaddexpBackward0",
                    LOG_SUM,
                    false,
                    Saves.BOTH,
                    (s, g, x, y, out) -> s.over(g, s.plus(s.of(Formulas.EXP, s.minus(y, x)), 1)),
                    (s, g, x, y, out) -> s.over(g, s.plus(s.of(Formulas.EXP, s.minus(x, y)), 1))));

    private BinaryFunctions() {}

    /** A remainder of a quotient that is rounded some way. */
    private static Row remainder(String name, String node, Formula forward, Formula quotient) {
        return new Row(name, node + "Backward1", forward, true, Saves.FOR_SECOND, null, (s, g, x, y, out) -> {
            Tensor whole = s.of(quotient, x, y);
            return s.times(s.negative(g), whole);
        });
    }

    public static void register(Operators o) {
        FRESH.forEach(row -> o.add1("aten." + row.name(), (e, a) -> apply(e, row, a, false)));
        for (Row row : ROWS) {
            o.add1("aten." + row.name(), (e, a) -> apply(e, row, a, false));
            o.add1("aten." + row.name() + "_", (e, a) -> apply(e, row, a, true));
        }
    }

    private static Tensor apply(Eager e, Row row, Arguments a, boolean inPlace) {
        Tensor x = ComparisonOperators.operand(a, "self");
        Tensor y = ComparisonOperators.operand(a, "other");
        Recorder r = e.record(row.node(), x, y);
        Tensor seen = x;
        if (inPlace && keepsFirst(row, r)) {
            seen = e.emptyLike(x);
            Copies.fill(e, seen, x);
        }
        SavedTensor second = r.saveIf(row.saves() == Saves.BOTH || r.needs(1), y);
        SavedTensor first = r.saveIf(keepsFirst(row, r), seen);
        e.freeUnless(seen, x);
        Tensor out = x;
        if (inPlace) {
            Elementwise.into(e, row.forward(), x, x, y);
            r.changed(x);
        } else {
            DType common = Promotion.common(x, y);
            DType type = row.keepsType() ? common : Promotion.floating(common);
            out = Elementwise.map(e, row.forward(), type, new double[0], x, y);
        }
        SavedTensor result = r.saveOutput(row.saves() == Saves.OWN_AND_RESULT ? out : null);
        r.backward(g -> {
            // Generated code computes gradients in the alphabetical order of their names: other, self.
            Tensor ofSecond = r.needs(1) ? gradient(e, row.second(), g[0], first, second, result) : null;
            Tensor ofFirst = r.needs(0) ? gradient(e, row.first(), g[0], first, second, result) : null;
            return new Tensor[] {ofFirst, ofSecond};
        });
        return inPlace ? out : r.output(out);
    }

    private static boolean keepsFirst(Row row, Recorder r) {
        return switch (row.saves()) {
            case BOTH -> r.records();
            case FOR_SECOND -> r.needs(1);
            case OWN_AND_RESULT -> r.needs(0);
        };
    }

    private static Tensor gradient(
            Eager e, @Nullable Derivative d, Tensor g, SavedTensor first, SavedTensor second, SavedTensor result) {
        return d == null ? g : e.call(() -> d.of(new Steps(e), g, first.getOr(g), second.getOr(g), result.getOr(g)));
    }
}
