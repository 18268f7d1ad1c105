package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import java.util.function.Consumer;
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

    /** Memory for a library to work in: taken for one call, and given back after it, however it ends. */
    @FunctionalInterface
    interface Scratch {
        /**
         * Lets work run in a number of bytes.
         *
         * @param work is handed the memory, {@code null} for 0 bytes
         * @throws dev.headroom.allocator.OutOfMemoryException when there is not so much; the work does not run then
         */
        void during(long bytes, Consumer<@Nullable Tensor> work);
    }

    /**
     * Computes one of the three tensors by a library.
     *
     * @param scratch where the library's workspace comes from
     */
    void convolve(ConvolutionCall call, Scratch scratch);

    /** Computes one of the three tensors by a kernel that is PyTorch's own and needs no workspace. */
    void convolveDirectly(ConvolutionCall call);
}
