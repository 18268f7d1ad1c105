package dev.headroom.model.cudnn;

import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * A convolution as PyTorch hands it to cuDNN: one operation over packed tensors
 * (aten/src/ATen/native/cudnn/Conv_v8.cpp). Two problems that are equal get the same plan.
 *
 * @param type of all three tensors
 * @param channelsLast whether they lie as NHWC (NDHWC), else as NCHW
 * @param x sizes of the input, or of its gradient
 * @param w sizes of the weight, or of its gradient
 * @param y sizes of the output, or of its gradient
 * @param stride one entry a spatial dimension, as are padding and dilation
 * @param alignment bytes that the addresses of x, w and y are multiples of, 32 at most
 * @param deterministic whether engines that add up in any order are left out ({@code
 *     torch.use_deterministic_algorithms(True)})
 */
public record ConvolutionProblem(
        Direction direction,
        DType type,
        boolean channelsLast,
        List<Long> x,
        List<Long> w,
        List<Long> y,
        List<Long> stride,
        List<Long> padding,
        List<Long> dilation,
        List<Long> alignment,
        boolean deterministic) {
    /** By any engine. */
    public ConvolutionProblem(
            Direction direction,
            DType type,
            boolean channelsLast,
            List<Long> x,
            List<Long> w,
            List<Long> y,
            List<Long> stride,
            List<Long> padding,
            List<Long> dilation,
            List<Long> alignment) {
        this(direction, type, channelsLast, x, w, y, stride, padding, dilation, alignment, false);
    }

    /** Which of the tensors is computed. */
    public enum Direction {
        /** y. */
        FORWARD,
        /** x. */
        DATA,
        /** w. */
        FILTER
    }

    /** The most that PyTorch tells cuDNN of an address (Conv_v8.cpp, getAlignment). */
    public static final long LARGEST_ALIGNMENT = 32;

    // Written out, as the methods that Java makes for records are linked at their first call, which takes a command
    // longer than all that they compare.

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof ConvolutionProblem p
                        && direction == p.direction
                        && type == p.type
                        && channelsLast == p.channelsLast
                        && x.equals(p.x)
                        && w.equals(p.w)
                        && y.equals(p.y)
                        && stride.equals(p.stride)
                        && padding.equals(p.padding)
                        && dilation.equals(p.dilation)
                        && alignment.equals(p.alignment)
                        && deterministic == p.deterministic;
    }

    /** Of the sizes, which tell most problems apart. */
    @Override
    public int hashCode() {
        return ((x.hashCode() * 31 + w.hashCode()) * 31 + y.hashCode()) * 31 + direction.ordinal();
    }

    /** Groups: how many weights of the input's channels there are. */
    public long groups() {
        return x.get(1) / w.get(1);
    }
}
