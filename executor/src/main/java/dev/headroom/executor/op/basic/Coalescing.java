package dev.headroom.executor.op.basic;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code coalesce()}: every row once, in ascending order, with the sum of its values
 * (aten/src/ATen/native/sparse/cuda/SparseCUDATensor.cu, coalesce_sparse_cuda).
 */
public final class Coalescing {
    private Coalescing() {}

    public static Tensor of(Eager e, Tensor t) {
        long n = t.size(0);
        return n < 2 ? SparseRows.copy(e, t) : e.call(() -> sorted(e, t, n));
    }

    private static Tensor sorted(Eager e, Tensor t, long n) {
        Tensor sorted = e.empty(DType.INT64, n);
        Tensor origins = e.empty(DType.INT64, n);
        e.empty(DType.INT64, n); // where each distinct row begins
        try (Scope s = e.open()) {
            e.workspace(CubScratch.mergeSort(n));
        }
        try (Scope s = e.open()) {
            e.workspace(CubScratch.uniquePairs(n, e.settings().gpu()));
        }
        // PyTorch's host waits for the number of distinct rows here, too; without kernels, all are taken to be.
        double[] rows = e.backend().computes() ? e.backend().read(SparseRows.rows(t)) : numbers(n);
        double[] distinct = Arrays.stream(rows).distinct().sorted().toArray();
        Tensor once = e.alias(sorted, new long[] {distinct.length}, new long[] {1}, 0);
        Tensor values = e.empty(t.dtype(), distinct.length, t.size(1));
        if (e.backend().computes()) {
            e.backend().write(once, distinct);
            double[] places = Arrays.stream(rows)
                    .map(r -> Arrays.binarySearch(distinct, r))
                    .toArray();
            e.backend().write(origins, places);
            Elementwise.fill(e, values, 0);
            e.backend().indexing().indexAdd(values, new @Nullable Tensor[] {origins, null}, t, 1);
        }
        return e.sparse(values, once);
    }

    private static double[] numbers(long n) {
        double[] out = new double[(int) n];
        Arrays.setAll(out, i -> i);
        return out;
    }
}
