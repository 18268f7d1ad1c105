package dev.headroom.executor.op.reduction;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Scan;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code cumsum} and {@code diff} (aten/src/ATen/native/ReduceOps.cpp, cuda/ScanUtils.cuh). */
public final class ScanOperators {
    private ScanOperators() {}

    public static void register(Operators o) {
        o.add1("aten.cumsum", (e, a) -> cumsum(e, a.tensor("self"), a.integer("dim", 0), a.dtype("dtype")));
        o.add1("aten.flip", (e, a) -> flip(e, a.tensor("self"), a.integers("dims")));
        o.add1("aten.diff", ScanOperators::diff);
    }

    static Tensor cumsum(Eager e, Tensor t, long dim, @Nullable DType dtype) {
        int at = Layout.dimension(dim, t.dims());
        DType type = dtype != null ? dtype : t.dtype().isFloatingPoint() ? t.dtype() : DType.INT64;
        DType from = t.dtype();
        var r = e.record("CumsumBackward0", t);
        Tensor out = e.empty(type, t.sizes());
        try (Scope s = e.open()) {
            Tensor operand = Copies.packed(e, Copies.to(e, t, type));
            if (t.dims() > 0 && t.elements() == t.size(at)) {
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

    /** {@code diff} of whole numbers, as masks of packed sequences are made with. */
    private static Tensor diff(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        Tensor before = a.optional("prepend");
        if (t.requiresGrad() || a.integer("n", 1) != 1 || a.has("append")) {
            throw new UserInputException(
                    "diff of differentiable values, of higher order or with 'append' is not supported"
                            + " by the executor");
        }
        return e.call(() -> {
            int dim = Layout.dimension(a.integer("dim", -1), t.dims());
            Tensor whole = before == null ? t : joined(e, before, t, dim);
            long n = whole.size(dim);
            Tensor later = Slices.slice(e, whole, dim, 1, n, 1);
            Tensor earlier = Slices.slice(e, whole, dim, 0, n - 1, 1);
            return Elementwise.binary(e, t.dtype() == DType.BOOL ? DIFFERENT : DIFFERENCE, later, earlier);
        });
    }

    private static final Formula DIFFERENCE = Formula.binary("difference", "x0 - x1", (x, y) -> x - y);
    private static final Formula DIFFERENT = Formula.binary("different", "x0 != x1", (x, y) -> x != y ? 1 : 0);

    private static Tensor joined(Eager e, Tensor a, Tensor b, int dim) {
        long[] sizes = b.sizes().clone();
        sizes[dim] += a.size(dim);
        Tensor out = e.empty(b.dtype(), sizes);
        Copies.fill(e, e.alias(out, a.sizes(), out.strides(), 0), a);
        Copies.fill(e, e.alias(out, b.sizes(), out.strides(), a.size(dim) * out.stride(dim)), b);
        return out;
    }
}
