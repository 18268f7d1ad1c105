package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code maximum}, {@code minimum} and {@code clamp}: their gradients choose between values by masks. */
public final class Selecting {
    private static final Formula MINIMUM = Formula.binary("minimum", "x0 < x1 ? x0 : x1", Math::min);
    private static final Formula LESS = Formula.binary("lt", "x0 < x1", (a, b) -> a < b ? 1 : 0);
    private static final Formula GREATER = Formula.binary("gt", "x0 > x1", (a, b) -> a > b ? 1 : 0);

    /** Half of the gradient where both are equal, nothing where the other one was chosen. */
    private static final Formula SHARED = new Formula(
            "chosen_gradient",
            "y0 = x2 != 0 ? 0 : x1 != 0 ? x3 : x0;",
            (x, s, y) -> y[0] = x[2] != 0 ? 0 : x[1] != 0 ? x[3] : x[0]);

    private static final Formula CLAMP = new Formula(
            "clamp", "y0 = fmin(fmax(x0, s0), s1);", (x, s, y) -> y[0] = Math.min(Math.max(x[0], s[0]), s[1]));
    private static final Formula BELOW =
            new Formula("lt_number", "y0 = x0 < s0;", (x, s, y) -> y[0] = x[0] < s[0] ? 1 : 0);
    private static final Formula ABOVE =
            new Formula("gt_number", "y0 = x0 > s0;", (x, s, y) -> y[0] = x[0] > s[0] ? 1 : 0);
    private static final Formula UNMASKED =
            new Formula("unmasked_gradient", "y0 = x1 != 0 ? 0 : x0;", (x, s, y) -> y[0] = x[1] != 0 ? 0 : x[0]);

    private static final double[] NONE = {};

    /** What is a number wins over what is none. */
    private static final Formula NUMBER_MAX = Formula.binary(
            "fmax", "fmax(x0, x1)", (a, b) -> Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(a, b));

    private static final Formula NUMBER_MIN = Formula.binary(
            "fmin", "fmin(x0, x1)", (a, b) -> Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.min(a, b));

    private Selecting() {}

    public static void register(Operators o) {
        o.add1("aten.maximum", (e, a) -> chosen(e, a.tensor("self"), a.tensor("other"), true));
        o.add1("aten.minimum", (e, a) -> chosen(e, a.tensor("self"), a.tensor("other"), false));
        o.add1(
                "aten.fmax",
                (e, a) -> chosen(e, a.tensor("self"), a.tensor("other"), true, "FmaxBackward0", NUMBER_MAX));
        o.add1(
                "aten.fmin",
                (e, a) -> chosen(e, a.tensor("self"), a.tensor("other"), false, "FminBackward0", NUMBER_MIN));
        clamps(o, "aten.clamp", "ClampBackward1", "min", "max");
        clamps(o, "aten.clamp_min", "ClampMinBackward0", "min", "");
        clamps(o, "aten.clamp_max", "ClampMaxBackward0", "", "max");
    }

    private static void clamps(Operators o, String name, String node, String least, String most) {
        for (boolean inPlace : new boolean[] {false, true}) {
            o.add1(name + (inPlace ? "_" : ""), (e, a) -> {
                if (a.isTensor("min") || a.isTensor("max")) {
                    return ClampByTensors.apply(e, a, inPlace);
                }
                Double from = a.has(least) ? (Double) a.real(least, 0) : null;
                Double to = a.has(most) ? (Double) a.real(most, 0) : null;
                return clamp(e, node, a.tensor("self"), from, to, inPlace);
            });
        }
    }

    /** {@code maximum} or {@code minimum}; equal operands share the gradient. */
    public static Tensor chosen(Eager e, Tensor x, Tensor y, boolean greater) {
        String node = greater ? "MaximumBackward0" : "MinimumBackward0";
        return chosen(e, x, y, greater, node, greater ? Formulas.MAXIMUM : MINIMUM);
    }

    static Tensor chosen(Eager e, Tensor x, Tensor y, boolean greater, String node, Formula formula) {
        Recorder r = e.record(node, x, y);
        SavedTensor first = r.save(x);
        SavedTensor second = r.save(y);
        Tensor out = Elementwise.map(e, formula, Promotion.common(x, y), NONE, x, y);
        return r.backward(g -> {
                    Tensor a = first.get();
                    Tensor b = second.get();
                    Tensor ofSecond = r.needs(1) ? share(e, g[0], a, b, greater ? GREATER : LESS) : null;
                    Tensor ofFirst = r.needs(0) ? share(e, g[0], a, b, greater ? LESS : GREATER) : null;
                    return new Tensor[] {ofFirst, ofSecond};
                })
                .output(out);
    }

    /** The gradient masked where the operand lost: where(a == b, g / 2, g).masked_fill_(lost, 0). */
    private static Tensor share(Eager e, Tensor g, Tensor a, Tensor b, Formula lost) {
        return e.call(() -> {
            Tensor loses = Elementwise.map(e, lost, DType.BOOL, NONE, a, b);
            Tensor half = Scaling.times(e, g, 0.5);
            Tensor equal = Elementwise.map(e, Formulas.EQUAL, DType.BOOL, NONE, a, b);
            return Elementwise.map(e, SHARED, g.dtype(), NONE, g, equal, loses, half);
        });
    }

    /** {@code clamp} with numbers; {@code null} for no bound. */
    private static Tensor clamp(
            Eager e, String node, Tensor x, @Nullable Double from, @Nullable Double to, boolean inPlace) {
        Recorder r = e.record(node, x);
        Tensor kept = inPlace ? ArithmeticOperators.copied(e, r.records(), x) : x;
        SavedTensor saved = r.save(kept);
        if (kept != x) {
            e.free(kept);
        }
        r.backward(g -> new Tensor[] {clampGradient(e, g[0], saved.get(), from, to)});
        double[] bounds = {from == null ? Double.NEGATIVE_INFINITY : from, to == null ? Double.POSITIVE_INFINITY : to};
        if (inPlace) {
            Elementwise.into(e, CLAMP, bounds, x, x);
            return r.changed(x);
        }
        return r.output(Elementwise.map(e, CLAMP, x.dtype(), bounds, x));
    }

    /** clamp_backward (FunctionsManual.cpp): a zero on the device, a mask for each bound, and the choice. */
    private static Tensor clampGradient(Eager e, Tensor g, Tensor x, @Nullable Double from, @Nullable Double to) {
        return e.call(() -> {
            Tensor zero = e.empty(g.dtype());
            Elementwise.fill(e, zero, 0);
            Tensor low = from == null ? null : Elementwise.map(e, BELOW, DType.BOOL, new double[] {from}, x);
            Tensor high = to == null ? null : Elementwise.map(e, ABOVE, DType.BOOL, new double[] {to}, x);
            if (low != null && high != null) {
                Elementwise.into(e, Formulas.EITHER, low, low, high);
            }
            Tensor inside = Objects.requireNonNull(low == null ? high : low, "a bound");
            return Elementwise.map(e, UNMASKED, g.dtype(), NONE, g, inside);
        });
    }
}
