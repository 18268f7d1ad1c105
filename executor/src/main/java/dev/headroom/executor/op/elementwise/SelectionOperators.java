package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** {@code where} and {@code masked_fill} (aten/src/ATen/native/TensorCompare.cpp, TensorAdvancedIndexing.cpp). */
public final class SelectionOperators {
    private static final Formula MASK =
            new Formula("masked_fill", "y0 = x1 != 0 ? s0 : x0;", (x, s, y) -> y[0] = x[1] != 0 ? s[0] : x[0]);

    private SelectionOperators() {}

    public static void register(Operators o) {
        o.add1(
                "aten.where",
                (e, a) -> where(
                        e,
                        a.tensor("condition"),
                        ComparisonOperators.operand(a, "self"),
                        ComparisonOperators.operand(a, "other"),
                        !a.isTensor("self"),
                        !a.isTensor("other")));
        o.add1("aten.masked_fill", (e, a) -> maskedFill(e, a.tensor("self"), a.tensor("mask"), value(e, a)));
        o.add1("aten.masked_fill_", (e, a) -> maskedFillInPlace(e, a.tensor("self"), a.tensor("mask"), value(e, a)));
    }

    private static double value(Eager e, Arguments a) {
        if (!a.isTensor("value")) {
            return a.real("value", 0);
        }
        Tensor t = a.tensor("value");
        return t.onDevice() ? e.backend().read(t)[0] : t.number();
    }

    /**
     * {@code where}.
     *
     * @param aIsNumber whether the first is a Python number, which becomes a scalar on the device, rather than a tensor
     */
    public static Tensor where(Eager e, Tensor condition, Tensor a, Tensor b, boolean aIsNumber, boolean bIsNumber) {
        // A tensor's floating-point type stands beside a Python number, also that of a scalar in host memory.
        boolean decides = bIsNumber && !aIsNumber && a.dtype().isFloatingPoint();
        DType type = decides ? a.dtype() : Promotion.common(a, b);
        Recorder r = e.record("WhereBackward0", a, b);
        SavedTensor saved = r.save(condition);
        Tensor out;
        Tensor result;
        try (Scope s = e.open()) {
            Tensor first = aIsNumber ? scalar(e, type, a) : a;
            Tensor second = bIsNumber ? scalar(e, type, b) : b;
            first = converted(e, first, type);
            second = converted(e, second, type);
            long[] sizes = Layout.broadcast(condition, first, second);
            out = e.emptyStrided(type, sizes, IterationOrder.resultStrides(sizes, condition, first, second));
            e.backend().elementwise().map(Formulas.WHERE, new double[0], new Tensor[] {out}, condition, first, second);
            result = s.pass(out);
        }
        return r.backward(g -> {
                    Tensor gb = r.needs(1) ? where(e, saved.get(), ZERO, g[0], true, false) : null;
                    return new Tensor[] {r.needs(0) ? where(e, saved.get(), g[0], ZERO, false, true) : null, gb};
                })
                .output(result);
    }

    private static final Tensor ZERO = Tensor.number(DType.INT64, 0);

    /** A scalar in the device's memory. */
    private static Tensor scalar(Eager e, DType type, Tensor number) {
        Tensor out = e.empty(type);
        Elementwise.fill(e, out, number.number());
        return out;
    }

    private static Tensor converted(Eager e, Tensor t, DType type) {
        return !t.onDevice() || t.dtype() == type ? t : Copies.to(e, t, type);
    }

    /** {@code masked_fill}: a row-major copy that is filled in place. */
    public static Tensor maskedFill(Eager e, Tensor t, Tensor mask, double value) {
        Recorder r = e.record("MaskedFillBackward0", t);
        SavedTensor saved = r.save(mask);
        long[] sizes = Layout.broadcast(t, mask);
        Tensor out = e.empty(t.dtype(), sizes);
        e.backend().elementwise().map(MASK, new double[] {value}, new Tensor[] {out}, t, mask);
        return r.backward(g -> new Tensor[] {maskedFill(e, g[0], saved.get(), 0)})
                .output(out);
    }

    /** {@code masked_fill_}. */
    static Tensor maskedFillInPlace(Eager e, Tensor t, Tensor mask, double value) {
        Recorder r = e.record("MaskedFillBackward0", t);
        SavedTensor saved = r.save(mask);
        e.backend().elementwise().map(MASK, new double[] {value}, new Tensor[] {t}, t, mask);
        r.backward(g -> new Tensor[] {maskedFill(e, g[0], saved.get(), 0)});
        return r.changed(t);
    }
}
