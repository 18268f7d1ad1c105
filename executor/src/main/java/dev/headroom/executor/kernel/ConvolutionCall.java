package dev.headroom.executor.kernel;

import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.tensor.Tensor;

/**
 * A call of a convolution kernel: one of the three tensors is computed from the other two. All are packed, row-major or
 * channels last.
 *
 * @param input (n, c, …), or its gradient
 * @param weight (k, c / groups, …), or its gradient
 * @param output (n, k, …), or its gradient
 */
public record ConvolutionCall(Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry) {
    /** The tensor that is computed. */
    public Tensor result() {
        return switch (direction) {
            case OUTPUT -> output;
            case INPUT_GRADIENT -> input;
            case WEIGHT_GRADIENT -> weight;
        };
    }

    /** Whether one of the tensors has no elements, so that there is nothing to sum up. */
    public boolean isEmpty() {
        return input.elements() == 0 || weight.elements() == 0 || output.elements() == 0;
    }

    /** Whether the tensors are row-major rather than channels last. */
    public boolean isRowMajor() {
        return input.isContiguous() && weight.isContiguous() && output.isContiguous();
    }
}
