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
        ALL,
        /** Euclidean length. */
        NORM
    }

    /**
     * Reduces the dimensions in which the result has size 1.
     *
     * @param result of as many dimensions as the operand
     */
    void reduce(Kind kind, Tensor result, Tensor operand);

    /**
     * Greatest or least elements along a dimension, and where they are.
     *
     * @param kind {@code MAX} or {@code MIN}
     * @param values size 1 in the dimension; {@code null} when not wanted
     * @param places 64-bit integers, likewise
     */
    void extremes(Kind kind, Tensor values, Tensor places, Tensor operand, int dim);

    /**
     * Variances and means over the dimensions in which the results have size 1.
     *
     * @param mean {@code null} when not wanted
     * @param correction taken from the number of elements before squares are divided by it
     */
    void moments(Tensor variance, Tensor mean, Tensor operand, double correction);

    /** Running sums along a dimension. */
    void cumulativeSum(Tensor result, Tensor operand, int dim);
}
