package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;

/** A matrix, or a batch of them, as cuBLAS can read it. */
final class BlasOperand {
    private BlasOperand() {}

    /**
     * {@code prepare_matrix_for_cublas} (ATen/native/cuda/cuBlasCommonArgs.h) takes any dense matrix as it is, {@code
     * prepare_batch_matrix_for_cublas} (Blas.cpp) any contiguous batch without strides of 0.
     */
    static Tensor ready(EagerRuntime rt, Tensor m) {
        int n = m.dim();
        long rows = m.size(n - 2);
        long cols = m.size(n - 1);
        long s0 = m.stride(n - 2);
        long s1 = m.stride(n - 1);
        boolean columnMajor = s0 == 1 && s1 >= Math.max(1, rows);
        boolean rowMajor = s1 == 1 && s0 >= Math.max(1, cols);
        boolean dense = n == 2 ? m.isNonOverlappingAndDense() : m.isContiguous() && s0 != 0 && s1 != 0;
        return columnMajor || rowMajor || dense ? m : rt.empty(m.dtype(), m.sizes());
    }
}
