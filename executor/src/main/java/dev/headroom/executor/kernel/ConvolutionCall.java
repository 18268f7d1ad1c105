package dev.headroom.executor.kernel;

import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * A call of a convolution kernel: one of the three tensors is computed from the other two. All are packed, row-major or
 * channels last.
 *
 * @param input (n, c, …), or its gradient
 * @param weight (k, c / groups, …), or its gradient
 * @param output (n, k, …), or its gradient
 * @param caller who calls
 */
public record ConvolutionCall(
        Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry, Caller caller) {
    /**
     * What a library's choice of kernels depends on beside the tensors.
     *
     * @param deterministic whether kernels that add up in any order are left out
     * @param backwardThread whether it is autograd's thread, which remembers choices of its own
     */
    public record Caller(boolean deterministic, boolean backwardThread) {
        /** The program's thread, which takes any kernel. */
        public static final Caller PROGRAM = new Caller(false, false);
    }

    /** By the program's thread. */
    public ConvolutionCall(Direction direction, Tensor input, Tensor weight, Tensor output, Geometry geometry) {
        this(direction, input, weight, output, geometry, Caller.PROGRAM);
    }

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

    /**
     * Whether the tensors are channels last: one of input and weight looks so. Double precision is always row-major
     * (aten/src/ATen/native/ConvUtils.h, cudnn_conv_suggest_memory_format).
     */
    public boolean isChannelsLast() {
        return input.dtype() != DType.FLOAT64 && (looksChannelsLast(input) || looksChannelsLast(weight));
    }

    private static boolean looksChannelsLast(Tensor t) {
        return Layout.looksChannelsLast(t.sizes(), t.strides());
    }
}
