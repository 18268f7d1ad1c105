package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import org.jspecify.annotations.Nullable;

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
    void multiply(Tensor result, Tensor a, Tensor b, double alpha, double beta, @Nullable Tensor workspace);

    /**
     * Lengths of the differences of all pairs of rows.
     *
     * @param result (n, rows of a, rows of b)
     * @param order of the length
     */
    void distances(Tensor result, Tensor a, Tensor b, double order);

    /**
     * What each pair gives to the gradient of {@code a} in {@link #distances}.
     *
     * @param pairs (n, rows of b, rows of a, inner)
     */
    void distanceSlopes(Tensor pairs, Tensor g, Tensor a, Tensor b, Tensor result, double order);

    /**
     * A product for each group of rows, {@code result[r] = a[r] b[group of r]}; or, of two matrices, for each group of
     * what is summed over: {@code result[i] = a[:, group i] b[group i, :]}. What belongs to no group is left alone.
     *
     * @param result (rows, n), or (groups, m, n)
     * @param a (rows, k), or (m, rows)
     * @param b (groups, k, n), or (rows, n)
     * @param ends 32-bit: where each group ends
     */
    void multiplyGroups(Tensor result, Tensor a, Tensor b, Tensor ends);

    /** What is made of square matrices. */
    enum Algebra {
        INVERSE,
        DETERMINANT,
        LOG_DETERMINANT,
        /** The determinant's sign, and the logarithm of its size. */
        SIGN_AND_LOG,
        /** What a matrix takes to another one. */
        SOLVE
    }

    /**
     * A function of a batch of matrices.
     *
     * @param b the right sides of {@code SOLVE}
     */
    default void algebra(Algebra function, Tensor[] results, Tensor a, @Nullable Tensor b) {
        throw new UserInputException("this backend computes no linear algebra: cuSOLVER is not linked");
    }

    /**
     * Its gradients.
     *
     * @param g of the results, {@code null} where there is none
     * @param ofA to be set; {@code null} when not wanted, as is {@code ofB}
     */
    default void algebraBackward(
            Algebra function,
            @Nullable Tensor[] g,
            Tensor a,
            @Nullable Tensor b,
            @Nullable Tensor ofA,
            @Nullable Tensor ofB) {
        throw new UserInputException("this backend computes no linear algebra: cuSOLVER is not linked");
    }
}
