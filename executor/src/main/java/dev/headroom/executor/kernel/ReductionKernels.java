package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

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
        NORM,
        PRODUCT,
        /** A sum that leaves out what is no number. */
        SUM_OF_NUMBERS
    }

    /** What runs along a dimension. */
    enum Scan {
        SUM,
        PRODUCT,
        LOG_SUM_EXP,
        MAX,
        MIN
    }

    /**
     * Reduces the dimensions in which the result has size 1.
     *
     * @param result of as many dimensions as the operand
     */
    void reduce(Kind kind, Tensor result, Tensor operand);

    /**
     * Lengths of some order over the dimensions in which the result has size 1: infinite ones are extremes of
     * magnitudes, and zero counts what is not zero.
     */
    void norm(double order, Tensor result, Tensor operand);

    /**
     * Greatest or least elements along a dimension, and where they are.
     *
     * @param kind {@code MAX} or {@code MIN}
     * @param values size 1 in the dimension; {@code null} when not wanted
     * @param places 64-bit integers, likewise
     */
    void extremes(Kind kind, @Nullable Tensor values, Tensor places, Tensor operand, int dim);

    /** Which element of a line is chosen. */
    enum Choice {
        /** By its rank; what is no number ranks last. */
        RANKED,
        /** The lower median, or what is no number. */
        MEDIAN,
        /** The lower median of what is a number. */
        MEDIAN_OF_NUMBERS,
        /** The most frequent one, the least of several. */
        COMMONEST
    }

    /**
     * An element of each line, and where it is.
     *
     * @param rank from 0, where that matters
     * @param values size 1 in the dimension
     * @param places 64-bit integers, likewise
     */
    void choose(Choice choice, long rank, Tensor values, Tensor places, Tensor operand, int dim);

    /**
     * Variances and means over the dimensions in which the results have size 1.
     *
     * @param mean {@code null} when not wanted
     * @param correction taken from the number of elements before squares are divided by it
     */
    void moments(Tensor variance, @Nullable Tensor mean, Tensor operand, double correction);

    /**
     * Sorts along a dimension, and keeps the first as many as the results have; equal elements stay in their order.
     *
     * @param places 64-bit integers: where each was
     */
    void sort(Tensor values, Tensor places, Tensor operand, int dim, boolean descending);

    /**
     * Running sums, products or extremes along a dimension.
     *
     * @param places of extremes, the last of equal ones, 64 bits; {@code null} for all else
     */
    void scan(Scan scan, Tensor result, @Nullable Tensor places, Tensor operand, int dim);

    /**
     * Counts elements by equal parts of a range; what lies outside is not counted.
     *
     * @param bounds the least and the greatest element, on the device; {@code null} for the numbers
     */
    void histogram(Tensor counts, Tensor operand, Tensor @Nullable [] bounds, double least, double most);
}
