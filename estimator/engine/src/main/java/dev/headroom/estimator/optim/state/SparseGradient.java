package dev.headroom.estimator.optim.state;

import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;

/**
 * Arithmetic of sparse gradients of tables by the memory that it takes: values with the indices of their rows
 * (ATen/native/sparse/SparseTensor.cpp, SparseTensorMath.cpp and cuda/). Results are the running frame's.
 */
public final class SparseGradient {
    private SparseGradient() {}

    /** The indices of a sparse gradient's rows. */
    public static Tensor indices(Tensor sparse) {
        return Objects.requireNonNull(sparse.indices(), "indices");
    }

    /** {@code clone()}. */
    public static Tensor copy(EagerRuntime rt, Tensor t) {
        Tensor values = rt.emptyLike(t);
        return with(rt, values, rt.emptyLike(indices(t)));
    }

    /** {@code mul_} by a number: a fresh one that takes its place (mul_out_sparse_scalar). */
    public static Tensor scaled(EagerRuntime rt, Tensor t) {
        Tensor indices = rt.emptyLike(indices(t));
        return with(rt, rt.emptyLike(t), indices);
    }

    /**
     * The rows of both one behind the other (add_out_sparse_cuda).
     *
     * @param scales whether the second is multiplied by a number before
     */
    public static Tensor joined(EagerRuntime rt, Tensor a, Tensor b, boolean scales) {
        Tensor product = scales ? rt.emptyLike(b) : null;
        Tensor indices = rt.empty(DType.INT64, a.size(0) + b.size(0));
        Tensor values = rt.empty(a.dtype(), a.size(0) + b.size(0), a.size(1));
        rt.free(product);
        return with(rt, values, indices);
    }

    /** {@code table.sparse_mask(rows)}. */
    public static Tensor masked(EagerRuntime rt, Tensor rows) {
        Tensor ones = rt.empty(rows.dtype(), 1);
        Tensor picked = rt.emptyLike(rows);
        Tensor indices = rt.emptyLike(indices(rows));
        Tensor values = rt.emptyLike(rows);
        rt.free(picked);
        rt.free(ones);
        return with(rt, values, indices);
    }

    /**
     * {@code coalesce()} (SparseCUDATensor.cu, coalesce_sparse_cuda). How many rows are distinct is in the data: all
     * are taken to be.
     */
    public static Tensor coalesced(EagerRuntime rt, Tensor t) {
        long n = t.size(0);
        if (n < 2) {
            return copy(rt, t);
        }
        Tensor indices = rt.empty(DType.INT64, n);
        Tensor origins = rt.empty(DType.INT64, n);
        Tensor offsets = rt.empty(DType.INT64, n);
        rt.free(rt.scratch(CubScratch.mergeSort(n)));
        rt.free(rt.scratch(CubScratch.uniquePairs(rt.device(), n)));
        Tensor values = rt.empty(t.dtype(), t.sizes());
        rt.free(offsets);
        rt.free(origins);
        return with(rt, values, indices);
    }

    private static Tensor with(EagerRuntime rt, Tensor values, Tensor indices) {
        Tensor out = values.sparse(indices);
        rt.free(indices);
        return out;
    }
}
