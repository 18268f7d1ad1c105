package dev.headroom.executor.op.shape;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** {@code unfold}, a view of all windows, and {@code glu}, whose halves are views. */
public final class WindowOperators {
    private static final Formula GATED = Formula.binary("glu", "x0 / (1 + exp(-x1))", (x, g) -> x / (1 + Math.exp(-g)));
    private static final Formula GATE_GRADIENT =
            new Formula("glu_gate", "real s = 1 / (1 + exp(-x2)); y0 = x0 * x1 * s * (1 - s);", (x, s, y) -> {
                double gate = 1 / (1 + Math.exp(-x[2]));
                y[0] = x[0] * x[1] * gate * (1 - gate);
            });

    private WindowOperators() {}

    public static void register(Operators o) {
        o.add1(
                "aten.unfold",
                (e, a) -> unfold(
                        e, a.tensor("self"), a.integer("dimension", 0), a.integer("size", 1), a.integer("step", 1)));
        o.add1("aten.glu", (e, a) -> glu(e, a.tensor("self"), a.integer("dim", -1)));
    }

    public static Tensor unfold(Eager e, Tensor t, long dimension, long size, long step) {
        int dim = Layout.dimension(dimension, t.dims());
        long[] sizes = Arrays.copyOf(t.sizes(), t.dims() + 1);
        long[] strides = Arrays.copyOf(t.strides(), t.dims() + 1);
        sizes[t.dims()] = size;
        strides[t.dims()] = t.dims() == 0 ? 1 : t.stride(dim);
        if (t.dims() > 0) {
            sizes[dim] = (t.size(dim) - size) / step + 1;
            strides[dim] *= step;
        }
        long[] before = t.sizes();
        return e.record("UnfoldBackward0", t)
                .backward(g -> new Tensor[] {folded(e, g[0], before, dim, size, step)})
                .output(e.view(t, sizes, strides, t.offset()));
    }

    /** unfold_backward: zeros to which all windows are added; overlapping ones need the places along the dimension. */
    public static Tensor folded(Eager e, Tensor g, long[] sizes, int dim, long size, long step) {
        Tensor out = Slices.zeros(e, g, sizes);
        try (Scope s = e.open()) {
            if (step < size) {
                e.empty(DType.INT64, sizes[dim]);
            }
            for (long k = 0; k < size; k++) {
                long[] strides = out.strides().clone();
                long[] part = Arrays.copyOf(g.sizes(), g.dims() - 1);
                strides[dim] *= step;
                Tensor into = e.alias(out, part, strides, k * out.stride(dim));
                Tensor window = e.alias(
                        g, part, Arrays.copyOf(g.strides(), part.length), g.offset() + k * g.stride(g.dims() - 1));
                Elementwise.into(e, Elementwise.ADD, into, into, window);
            }
        }
        return out;
    }

    private static Tensor glu(Eager e, Tensor x, long dimension) {
        int dim = Layout.dimension(dimension, x.dims());
        Recorder r = e.record("GluBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor out;
        try (Scope s = e.open()) {
            out = s.pass(Elementwise.binary(e, GATED, half(e, x, dim, 0), half(e, x, dim, 1)));
        }
        return r.backward(g -> {
                    Tensor operand = saved.get();
                    Tensor gradient =
                            e.emptyStrided(operand.dtype(), operand.sizes(), Layout.contiguous(operand.sizes()));
                    try (Scope s = e.open()) {
                        Tensor first = half(e, operand, dim, 0);
                        Tensor gate = half(e, operand, dim, 1);
                        Elementwise.into(e, GATED, half(e, gradient, dim, 0), g[0], gate);
                        Elementwise.into(e, GATE_GRADIENT, half(e, gradient, dim, 1), g[0], first, gate);
                    }
                    return new Tensor[] {gradient};
                })
                .output(out);
    }

    private static Tensor half(Eager e, Tensor t, int dim, int which) {
        long[] sizes = t.sizes().clone();
        sizes[dim] /= 2;
        return e.alias(t, sizes, t.strides(), t.offset() + which * sizes[dim] * t.stride(dim));
    }
}
