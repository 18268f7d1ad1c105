package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

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

    /** Bytes of workspace that the library wants for a convolution. */
    long workspaceBytes(ConvolutionCall call);

    /**
     * Computes one of the three tensors.
     *
     * @param workspace of the asked size, {@code null} when that is 0
     */
    void convolve(ConvolutionCall call, @Nullable Tensor workspace);
}
