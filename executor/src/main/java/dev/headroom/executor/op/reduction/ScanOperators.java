package dev.headroom.executor.op.reduction;

import dev.headroom.executor.kernel.ReductionKernels.Scan;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code cumsum} and {@code flip} (aten/src/ATen/native/ReduceOps.cpp, cuda/ScanUtils.cuh). */
public final class ScanOperators {
    private ScanOperators() {}

    public static void register(Operators o) {
        o.add1("aten.cumsum", (e, a) -> cumsum(e, a.tensor("self"), a.integer("dim", 0), a.dtype("dtype")));
        o.add1("aten.flip", (e, a) -> flip(e, a.tensor("self"), a.integers("dims")));
    }

    static Tensor cumsum(Eager e, Tensor t, long dim, @Nullable DType dtype) {
        int at = Layout.dimension(dim, t.dims());
        DType type = dtype != null ? dtype : t.dtype().isFloatingPoint() ? t.dtype() : DType.INT64;
        DType from = t.dtype();
        var r = e.record("CumsumBackward0", t);
        Tensor out = e.empty(type, t.sizes());
        try (Scope s = e.open()) {
            Tensor operand = Copies.packed(e, Copies.to(e, t, type));
            if (t.dims() > 0 && t.elements() > 0 && t.elements() == t.size(at)) {
                e.workspace(CubScratch.scan(t.elements(), type.bytes()));
            }
            e.backend().reductions().scan(Scan.SUM, out, null, operand, at);
        }
        r.backward(g -> {
            boolean single = g[0].elements() <= 1 || g[0].size(at) == 1;
            Tensor sums = single ? g[0] : flip(e, cumsum(e, flip(e, g[0], at), at, null), at);
            return new Tensor[] {Copies.to(e, sums, from)};
        });
        return type.isFloatingPoint() ? r.output(out) : out;
    }

    /** {@code flip}. */
    static Tensor flip(Eager e, Tensor t, long... dims) {
        var r = e.record("FlipBackward0", t);
        Tensor out = e.emptyLike(t);
        mirrored(e, out, t, dims, 0);
        return r.backward(g -> new Tensor[] {flip(e, g[0], dims)}).output(out);
    }

    private static void mirrored(Eager e, Tensor out, Tensor t, long[] dims, int done) {
        if (done == dims.length) {
            Copies.fill(e, out, t);
            return;
        }
        int at = Layout.dimension(dims[done], t.dims());
        for (long i = 0; i < t.size(at); i++) {
            try (Scope s = e.open()) {
                mirrored(e, entry(e, out, at, i), entry(e, t, at, t.size(at) - 1 - i), dims, done + 1);
            }
        }
    }

    /** One entry along a dimension, which stays with size 1. */
    private static Tensor entry(Eager e, Tensor t, int dim, long place) {
        long[] sizes = t.sizes().clone();
        sizes[dim] = 1;
        return e.alias(t, sizes, t.strides(), t.offset() + place * t.stride(dim));
    }
}
