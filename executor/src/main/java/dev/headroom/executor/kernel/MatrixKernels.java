package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Matrix products. */
public interface MatrixKernels {
    /**
     * {@code result = alpha a b + beta result} of matrices, or of batches of as many matrices.
     *
     * @param result (…, m, n); rows or columns packed
     * @param a (…, m, k)
     * @param b (…, k, n)
     * @param workspace that cuBLAS may use, or {@code null}
     */
    void multiply(Tensor result, Tensor a, Tensor b, double alpha, double beta, Tensor workspace);
}
