package dev.headroom.executor.op.matrix;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Products that are added to something, products of vectors and traces (aten/src/ATen/native/LinearAlgebra.cpp,
 * Cross.cpp, cuda/Blas.cpp; derivatives.yaml). Gradients are computed in the alphabetical order of the operands' names.
 */
final class FurtherProducts {
    private static final double[] NONE = {};

    /** Numbers: beta and alpha. */
    private static final Formula OUTER = new Formula(
            "addr",
            "y0 = (s0 == 0 ? 0 : s0 * x0) + s1 * x1 * x2;",
            (x, s, y) -> y[0] = (s[0] == 0 ? 0 : s[0] * x[0]) + s[1] * x[1] * x[2]);

    private static final Formula CROSS =
            new Formula("cross", "y0 = x0 * x1 - x2 * x3;", (x, s, y) -> y[0] = x[0] * x[1] - x[2] * x[3]);

    private FurtherProducts() {}

    static void register(Operators o) {
        o.add1("aten.addbmm", FurtherProducts::addbmm);
        o.add1("aten.addmv", FurtherProducts::addmv);
        o.add1("aten.addr", FurtherProducts::addr);
        o.add1("aten.linalg_cross", FurtherProducts::cross);
        o.add1("aten.trace", (e, a) -> trace(e, a.tensor("self")));
    }

    private static Tensor addbmm(Eager e, Arguments arguments) {
        Tensor added = arguments.tensor("self");
        Tensor a = arguments.tensor("batch1");
        Tensor b = arguments.tensor("batch2");
        double beta = arguments.real("beta", 1);
        double alpha = arguments.real("alpha", 1);
        Recorder r = e.record("AddbmmBackward0", added, a, b);
        SavedTensor first = r.saveIf(r.needs(2), a);
        SavedTensor second = r.saveIf(r.needs(1), b);
        Tensor out = e.empty(a.dtype(), a.size(1), b.size(2));
        if (beta != 0) {
            Copies.fill(e, out, added);
        }
        for (long i = 0; i < a.size(0); i++) {
            try (var s = e.open()) {
                Products.multiplyInto(e, out, matrix(e, a, i), matrix(e, b, i), alpha, i == 0 ? beta : 1);
            }
        }
        long[] whole = {a.size(0), a.size(1), b.size(2)};
        return r.backward(g -> {
                    Tensor ga = !r.needs(1)
                            ? null
                            : e.call(() -> {
                                Tensor wide = each(e, g[0], whole);
                                Tensor turned = Views.transpose(e, second.get(), 1, 2);
                                return Scaling.maybeTimes(e, Products.bmm(e, wide, turned), alpha);
                            });
                    Tensor gb = !r.needs(2)
                            ? null
                            : e.call(() -> {
                                Tensor wide = each(e, g[0], whole);
                                Tensor turned = Views.transpose(e, first.get(), 1, 2);
                                return Scaling.maybeTimes(e, Products.bmm(e, turned, wide), alpha);
                            });
                    return new Tensor[] {r.needs(0) ? Scaling.maybeTimes(e, g[0], beta) : null, ga, gb};
                })
                .output(out);
    }

    /** The gradient of a sum over the batch: the same for each of its products. */
    private static Tensor each(Eager e, Tensor gradient, long[] whole) {
        return Views.expand(e, Views.unsqueeze(e, gradient, 0), whole);
    }

    /** One of a batch. */
    private static Tensor matrix(Eager e, Tensor t, long i) {
        long[] sizes = {t.size(1), t.size(2)};
        return e.alias(t, sizes, new long[] {t.stride(1), t.stride(2)}, t.offset() + i * t.stride(0));
    }

    private static Tensor addmv(Eager e, Arguments a) {
        Tensor added = a.tensor("self");
        Tensor matrix = a.tensor("mat");
        Tensor vector = a.tensor("vec");
        double beta = a.real("beta", 1);
        double alpha = a.real("alpha", 1);
        Recorder r = e.record("AddmvBackward0", added, matrix, vector);
        SavedTensor ofMatrix = r.saveIf(r.needs(2), matrix);
        SavedTensor ofVector = r.saveIf(r.needs(1), vector);
        Tensor out = e.empty(matrix.dtype(), matrix.size(0));
        if (beta != 0) {
            Copies.fill(e, out, added);
        }
        try (var s = e.open()) {
            Tensor column =
                    e.alias(vector, new long[] {vector.size(0), 1}, new long[] {vector.stride(0), 1}, vector.offset());
            Tensor result = e.alias(out, new long[] {out.size(0), 1}, new long[] {1, 1}, 0);
            Products.multiplyInto(e, result, matrix, column, alpha, beta);
        }
        return r.backward(g -> {
                    Tensor gm = !r.needs(1)
                            ? null
                            : e.call(() -> {
                                Tensor column = Views.unsqueeze(e, g[0], 1);
                                Tensor outer = Elementwise.binary(
                                        e, Elementwise.MULTIPLY, column, Views.unsqueeze(e, ofVector.get(), 0));
                                return Scaling.maybeTimes(e, outer, alpha);
                            });
                    Tensor gs = r.needs(0) ? Scaling.maybeTimes(e, g[0], beta) : null;
                    Tensor gv = !r.needs(2)
                            ? null
                            : e.call(() -> {
                                Tensor turned = Views.t(e, ofMatrix.get());
                                return Scaling.maybeTimes(e, Products.mv(e, turned, g[0]), alpha);
                            });
                    return new Tensor[] {gs, gm, gv};
                })
                .output(out);
    }

    private static Tensor addr(Eager e, Arguments a) {
        Tensor added = a.tensor("self");
        Tensor x = a.tensor("vec1");
        Tensor y = a.tensor("vec2");
        double beta = a.real("beta", 1);
        double alpha = a.real("alpha", 1);
        Recorder r = e.record("AddrBackward0", added, x, y);
        SavedTensor first = r.saveIf(r.needs(2), x);
        SavedTensor second = r.saveIf(r.needs(1), y);
        Tensor out = e.empty(Promotion.common(added, x, y), x.size(0), y.size(0));
        try (var s = e.open()) {
            Tensor column = e.alias(x, new long[] {x.size(0), 1}, new long[] {x.stride(0), 0}, x.offset());
            Elementwise.into(e, OUTER, new double[] {beta, alpha}, out, added, column, y);
        }
        return r.backward(g -> {
                    Tensor gs = r.needs(0) ? Scaling.maybeTimes(e, g[0], beta) : null;
                    Tensor gx = r.needs(1)
                            ? e.call(() -> Scaling.maybeTimes(e, Products.mv(e, g[0], second.get()), alpha))
                            : null;
                    Tensor gy = r.needs(2)
                            ? e.call(() -> Scaling.maybeTimes(e, Products.mv(e, Views.t(e, g[0]), first.get()), alpha))
                            : null;
                    return new Tensor[] {gs, gx, gy};
                })
                .output(out);
    }

    private static Tensor cross(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor y = a.tensor("other");
        int dims = Math.max(x.dims(), y.dims());
        int dim = Layout.dimension(a.integer("dim", -1), dims);
        Recorder r = e.record("LinalgCrossBackward0", x, y);
        SavedTensor first = r.saveIf(r.needs(1), x);
        SavedTensor second = r.saveIf(r.needs(0), y);
        return r.backward(g -> {
                    Tensor ofY = r.needs(1) ? crossed(e, g[0], first.get(), dim) : null;
                    Tensor ofX = r.needs(0) ? crossed(e, second.get(), g[0], dim) : null;
                    return new Tensor[] {ofX, ofY};
                })
                .output(crossed(e, x, y, dim));
    }

    private static Tensor crossed(Eager e, Tensor x, Tensor y, int dim) {
        long[] sizes = Layout.broadcast(x, y);
        Tensor out = e.emptyStrided(Promotion.common(x, y), sizes, IterationOrder.resultStrides(sizes, x, y));
        for (int i = 0; i < 3; i++) {
            try (var s = e.open()) {
                int j = (i + 1) % 3;
                int k = (i + 2) % 3;
                e.backend()
                        .elementwise()
                        .map(
                                CROSS,
                                NONE,
                                new Tensor[] {entry(e, out, sizes, dim, i)},
                                entry(e, x, sizes, dim, j),
                                entry(e, y, sizes, dim, k),
                                entry(e, x, sizes, dim, k),
                                entry(e, y, sizes, dim, j));
            }
        }
        return out;
    }

    private static Tensor entry(Eager e, Tensor t, long[] whole, int dim, int i) {
        long[] strides = Layout.expanded(t.sizes(), t.strides(), whole);
        long[] sizes = whole.clone();
        sizes[dim] = 1;
        return e.alias(t, sizes, strides, t.offset() + i * strides[dim]);
    }

    /** The gradient is put onto a line of zeros at places that are counted on the device. */
    private static Tensor trace(Eager e, Tensor x) {
        Recorder r = e.record("TraceBackward0", x);
        long[] before = x.sizes();
        Tensor out = e.call(() -> {
            long n = Math.min(x.size(0), x.size(1));
            Tensor diagonal = e.alias(x, new long[] {n}, new long[] {x.stride(0) + x.stride(1)}, x.offset());
            Tensor sum = Reductions.sum(e, diagonal, new long[] {1}, x.dtype());
            return e.alias(sum, new long[0], new long[0], 0);
        });
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Tensor zeros = Slices.zeros(e, g[0], before);
                        long n = Math.min(before[0], before[1]);
                        Tensor places = e.empty(DType.INT64, (before[0] * before[1] + before[1]) / (before[1] + 1));
                        e.backend().indexing().range(places, 0, before[1] + 1.0);
                        Tensor diagonal = e.alias(zeros, new long[] {n}, new long[] {before[1] + 1}, 0);
                        Copies.fill(e, diagonal, g[0]);
                        return zeros;
                    })
                })
                .output(out);
    }
}
