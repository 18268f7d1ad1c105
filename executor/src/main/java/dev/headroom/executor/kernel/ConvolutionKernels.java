package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/**
 * Convolutions with two or three spatial dimensions. A transposed convolution is the gradient of a convolution by its
 * input, so it takes the same kernels.
 */
public interface ConvolutionKernels {
    /** Which of the three tensors is computed from the other two. */
    enum Direction {
        OUTPUT,
        INPUT_GRADIENT,
        WEIGHT_GRADIENT
    }

    /** By spatial dimension: steps, zeros around the input, and distance of the kernel's elements. */
    record Geometry(long[] stride, long[] padding, long[] dilation, long groups) {}

    /**
     * Workspace that the library wants for a convolution.
     *
     * @param input (n, c, …), or its gradient
     * @param weight (k, c / groups, …), or its gradient
     * @param output (n, k, …), or its gradient
     * @return bytes
     */
    long workspaceBytes(Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry);

    /**
     * Computes one of the three tensors, all packed, row-major or channels last.
     *
     * @param input (n, c, …), or its gradient
     * @param weight (k, c / groups, …), or its gradient
     * @param output (n, k, …), or its gradient
     * @param workspace of the asked size, {@code null} when that is 0
     */
    void convolve(Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry, Tensor workspace);
}
