package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.graph.DType;
import java.util.Optional;

/**
 * The sizes of a convolution with two spatial dimensions.
 *
 * @param n batch
 * @param c input channels of one group
 * @param h height of the input
 * @param w width of the input
 * @param k output channels of one group
 * @param r height of the filter
 * @param s width of the filter
 * @param oh height of the output
 * @param ow width of the output
 * @param stride along the height, as are padding and dilation
 * @param groups number of groups
 * @param element bytes of an element
 * @param channelsLast whether the tensors lie as NHWC
 * @param bfloat whether elements are bfloat16
 */
record ConvolutionShape(
        long n,
        long c,
        long h,
        long w,
        long k,
        long r,
        long s,
        long oh,
        long ow,
        long stride,
        long padding,
        long dilation,
        long groups,
        long element,
        boolean channelsLast,
        boolean bfloat) {
    private static final int DIMENSIONS = 4;

    /** The sizes of a problem; empty when it has not two spatial dimensions. */
    static Optional<ConvolutionShape> of(ConvolutionProblem p) {
        if (p.x().size() != DIMENSIONS) {
            return Optional.empty();
        }
        long groups = p.groups();
        return Optional.of(new ConvolutionShape(
                p.x().get(0),
                p.w().get(1),
                p.x().get(2),
                p.x().get(3),
                p.w().get(0) / groups,
                p.w().get(2),
                p.w().get(3),
                p.y().get(2),
                p.y().get(3),
                p.stride().get(0),
                p.padding().get(0),
                p.dilation().get(0),
                groups,
                p.type().bytes(),
                p.channelsLast(),
                p.type() == DType.BFLOAT16));
    }

    /** Pixels of one image of the input. */
    long inputPixels() {
        return h * w;
    }

    /** Pixels of one image of the output. */
    long outputPixels() {
        return oh * ow;
    }

    /** Elements of one channel of the filter. */
    long taps() {
        return r * s;
    }

    /** The next multiple of a unit. */
    static long up(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }
}
