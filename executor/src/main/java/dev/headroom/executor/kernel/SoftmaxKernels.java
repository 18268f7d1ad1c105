package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Softmax kernels, over one dimension; every tensor is row-major and of one shape. */
public interface SoftmaxKernels {
    /**
     * {@code exp(x) / sum(exp(x))}, computed without overflow.
     *
     * @param log whether its logarithm is wanted
     */
    void softmax(Tensor result, Tensor x, int dim, boolean log);

    /**
     * The gradient of the operand.
     *
     * @param g of the result, in the result's type
     * @param y the result
     */
    void softmaxBackward(Tensor gradient, Tensor g, Tensor y, int dim, boolean log);
}
