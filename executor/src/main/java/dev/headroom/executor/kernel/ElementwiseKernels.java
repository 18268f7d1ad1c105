package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Element-wise kernels. */
public interface ElementwiseKernels {
    /**
     * Computes results from operands that broadcast to the results' shape. Computes in double precision if any tensor
     * has it or holds 64-bit integers, else in single precision, and rounds to the results' types. A result may be
     * one of the operands.
     *
     * @param numbers the formula's {@code s0, s1, …}
     */
    void map(Formula formula, double[] numbers, Tensor[] results, Tensor... operands);

    /** Sets every element to a number. */
    default void fill(Tensor result, double value) {
        map(Formula.FILL, new double[] {value}, new Tensor[] {result});
    }

    /** Sets a tensor to another's values, which broadcast and are rounded to its type. */
    default void copy(Tensor result, Tensor from) {
        map(Formula.COPY, new double[0], new Tensor[] {result}, from);
    }
}
