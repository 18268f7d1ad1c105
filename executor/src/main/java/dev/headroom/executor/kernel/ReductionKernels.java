package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Reductions over dimensions. */
public interface ReductionKernels {
    /** What is computed. */
    enum Kind {
        SUM,
        MEAN,
        MAX,
        MIN,
        ANY,
        ALL
    }

    /**
     * Reduces the dimensions in which the result has size 1.
     *
     * @param result of as many dimensions as the operand
     */
    void reduce(Kind kind, Tensor result, Tensor operand);

    /** Running sums along a dimension. */
    void cumulativeSum(Tensor result, Tensor operand, int dim);
}
