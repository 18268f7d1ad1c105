package dev.headroom.estimator.op.convolution;

import java.util.Optional;

/**
 * What a convolution was called with, as far as the shapes of its tensors tell; generated code does not say more. Of
 * several answers the one with the least padding is taken, and dilation is taken for padding.
 */
final class ShapedParameters {
    private final long[] x;
    private final long[] w;
    private final long[] y;

    private ShapedParameters(long[] x, long[] w, long[] y) {
        this.x = x;
        this.w = w;
        this.y = y;
    }

    /** Empty where no stride and padding give these shapes. */
    static Optional<Convolution.Parameters> of(long[] x, long[] w, long[] y) {
        boolean alike = x.length == w.length && x.length == y.length && x.length > 2 && x[0] == y[0];
        return alike ? new ShapedParameters(x, w, y).found() : Optional.empty();
    }

    /**
     * The sizes of a result that was given in another shape, such as one row a pixel: as many pixels as there are, in
     * the input's proportions. Empty where these are no whole numbers.
     */
    static Optional<long[]> image(long elements, long[] x, long[] w) {
        if (x.length != 4 || w.length != 4 || x[0] * w[0] == 0 || elements % (x[0] * w[0]) != 0) {
            return Optional.empty();
        }
        long pixels = elements / (x[0] * w[0]);
        long height = Math.round(Math.sqrt((double) pixels * x[2] / Math.max(1, x[3])));
        return height > 0 && pixels % height == 0
                ? Optional.of(new long[] {x[0], w[0], height, pixels / height})
                : Optional.empty();
    }

    private Optional<Convolution.Parameters> found() {
        boolean transposed = grows();
        long given = transposed ? w[1] : w[0];
        long perGroup = transposed ? w[0] : w[1];
        if (transposed ? x[1] != w[0] : y[1] != w[0]) {
            return Optional.empty();
        }
        long groups = transposed ? (given == 0 ? 0 : y[1] / given) : perGroup == 0 ? 0 : x[1] / perGroup;
        int n = x.length - 2;
        long[] stride = new long[n];
        long[] padding = new long[n];
        long[] dilation = new long[n];
        long[] outputPadding = new long[n];
        for (int i = 0; i < n; i++) {
            long from = x[i + 2];
            long to = y[i + 2];
            if (from <= 0 || to <= 0) {
                return Optional.empty();
            }
            dilation[i] = 1;
            stride[i] = Math.max(1, Math.round(transposed ? (double) to / from : (double) from / to));
            // What one side has beyond what the kernel covers without padding.
            long lacking = transposed ? (from - 1) * stride[i] + w[i + 2] - to : (to - 1) * stride[i] + w[i + 2] - from;
            padding[i] = Math.max(0, (lacking + 1) / 2);
            outputPadding[i] = transposed ? 2 * padding[i] - lacking : 0;
        }
        Convolution.Parameters p =
                new Convolution.Parameters(stride, padding, dilation, transposed, outputPadding, groups);
        return groups > 0 && fits(p) ? Optional.of(p) : Optional.empty();
    }

    /** Only a transposed convolution makes an image larger without padding it by more than its kernel. */
    private boolean grows() {
        return y[y.length - 1] > x[x.length - 1];
    }

    private boolean fits(Convolution.Parameters p) {
        for (int i = 0; i < p.stride().length; i++) {
            if (p.outputSize(i, x[i + 2], w[i + 2]) != y[i + 2]) {
                return false;
            }
        }
        return true;
    }
}
