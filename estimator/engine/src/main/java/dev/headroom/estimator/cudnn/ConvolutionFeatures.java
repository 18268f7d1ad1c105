package dev.headroom.estimator.cudnn;

/**
 * What rules look at of a convolution: its sizes, the sizes of the matrix products that it amounts to, their numbers of
 * tiles, ratios, and the powers of two that divide channels. The same code describes answers for training and problems
 * at prediction.
 */
final class ConvolutionFeatures {
    /** Number of features. */
    static final int COUNT = 56;

    private static final long LARGEST_POWER = 64;

    private ConvolutionFeatures() {}

    /** All features, in the order that rules refer to. */
    static float[] of(ConvolutionShape q) {
        double n = q.n();
        double c = q.c();
        double k = q.k();
        double my = n * q.outputPixels();
        double mx = n * q.inputPixels();
        double sum = c * q.taps();
        double[] f = {
            n,
            c,
            k,
            q.h(),
            q.w(),
            q.oh(),
            q.ow(),
            q.r(),
            q.s(),
            q.stride(),
            q.padding(),
            q.dilation(),
            q.groups(),
            my,
            mx,
            sum,
            power(q.c()),
            power(q.k()),
            my * k,
            my * sum,
            k * sum,
            c * k,
            my * c,
            mx * c,
            my * k * sum,
            tiles(my, 128) * tiles(k, 128),
            tiles(k, 128) * tiles(sum, 128),
            tiles(mx, 128) * tiles(c, 128),
            tiles(c, 64) * tiles(k, 64),
            my / sum,
            k / sum,
            k / c,
            q.inputPixels(),
            q.outputPixels(),
            n * q.h(),
            q.taps(),
            my / k,
            my / c,
            mx / k,
            my * k * c,
            tiles(k, 64) * tiles(my, 64),
            tiles(mx, 64) * tiles(c, 64),
            tiles(k, 64) * tiles(sum, 64),
            n * q.oh(),
            k * q.taps(),
            mx * k * q.taps(),
            n * c,
            n * k,
            power(q.inputPixels()),
            power(q.outputPixels()),
            power(q.n() * q.outputPixels()),
            q.c() % 4,
            q.k() % 4,
            q.bfloat() ? 1 : 0,
            n * q.w(),
            n * q.ow()
        };
        float[] out = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            out[i] = (float) f[i];
        }
        return out;
    }

    private static double tiles(double size, double tile) {
        return Math.ceil(size / tile);
    }

    private static long power(long value) {
        return Math.min(Long.lowestOneBit(value), LARGEST_POWER);
    }
}
