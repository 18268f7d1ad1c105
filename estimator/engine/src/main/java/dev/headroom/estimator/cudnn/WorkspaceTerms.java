package dev.headroom.estimator.cudnn;

/**
 * What workspaces of cuDNN's convolutions are made of. Tensor core engines work on NHWC with channels in multiples of
 * 16 bytes: what lies otherwise is copied (x, w and y), which is the <em>base</em>. Engines that split a sum over
 * several thread blocks add partial results in float32, a number of times a <em>unit</em>: the whole result, or the
 * result rounded up to tiles, or single tiles of 16 KiB. Found by comparing cuDNN's answers with these sums.
 */
final class WorkspaceTerms {
    /** Bytes that channels are padded to. */
    private static final long VECTOR = 16;

    private static final long FLOAT = 4;
    private static final long TILE_BYTES = 16_384;
    /** A convolution with more groups is done in parts. */
    private static final long GROUPS_AT_ONCE = 8;

    /** Depthwise gradients add up channels in blocks of so many. */
    private static final long DEPTHWISE_CHANNELS = 32;

    private static final long OFFSET_BYTES = 6;
    private static final long TABLE_ALIGNMENT = 128;
    private static final long WINOGRAD_ELEMENTS = 25;
    private static final long WINOGRAD_HEADER = 128;

    /** Parameters before copies. They matter: copies often are whole units of the allocator. */
    private static final long HEADER = 16;

    /** Some bases: all copies that are needed; weights; Winograd's; the tables. */
    private static final int ALL_COPIES = 1;

    private static final int WEIGHTS = 10;
    private static final int WINOGRAD = 13;
    private static final int OUTPUT_TABLE = 19;
    private static final int INPUT_TABLE = 20;

    /** Number of bases. */
    static final int BASES = 22;
    /** Number of units. */
    static final int UNITS = 24;

    private WorkspaceTerms() {}

    /** Copies of x, w and y to NHWC with padded channels, of those that lie otherwise, and their parameters. */
    static long copies(ConvolutionShape q) {
        return bases(q)[ALL_COPIES];
    }

    /** All bases of a convolution, in bytes, in the order that rules refer to. */
    static long[] bases(ConvolutionShape q) {
        long pad = VECTOR / q.element();
        long c = ConvolutionShape.up(q.c(), pad);
        long k = ConvolutionShape.up(q.k(), pad);
        long x = q.n() * q.inputPixels() * c * q.groups() * q.element();
        long y = q.n() * q.outputPixels() * k * q.groups() * q.element();
        long w = k * q.groups() * c * q.taps() * q.element();
        boolean oddC = c != q.c();
        boolean oddK = k != q.k();
        // A tensor with one pixel is NHWC and NCHW at once.
        long copyX = oddC || q.inputPixels() > 1 && !q.channelsLast() ? x : 0;
        long copyY = oddK || q.outputPixels() > 1 && !q.channelsLast() ? y : 0;
        long copyW = oddC || oddK || q.taps() > 1 && !q.channelsLast() ? w : 0;
        long[] out = {
            0,
            copyX + copyY + copyW,
            copyX + copyY + w,
            copyX + copyW,
            copyX + w,
            copyY + copyW,
            copyY + w,
            copyX + copyY,
            copyX,
            copyY,
            w,
            x + copyY + w,
            copyX + y + w,
            WINOGRAD_ELEMENTS * q.c() * q.k() * q.groups() * FLOAT + WINOGRAD_HEADER,
            x,
            y,
            x + y,
            plain(q),
            (copyX + copyY + w) * Math.min(GROUPS_AT_ONCE, q.groups()) / q.groups(),
            table(q.outputPixels()) * q.groups(),
            table(q.inputPixels()) * q.groups(),
            q.c() * q.k() * q.taps() * q.groups() * q.element()
        };
        for (int i = 0; i < out.length; i++) {
            boolean copies = i != WINOGRAD && i != OUTPUT_TABLE && i != INPUT_TABLE;
            out[i] += copies && out[i] > 0 ? HEADER : 0;
        }
        return out;
    }

    /** Copies without padded channels, of depthwise convolutions. */
    private static long plain(ConvolutionShape q) {
        long x = q.n() * q.inputPixels() * q.c();
        long y = q.n() * q.outputPixels() * q.k();
        return (x + y + q.c() * q.k() * q.taps()) * q.groups() * q.element();
    }

    /** Offsets of all pixels of an image. */
    private static long table(long pixels) {
        return ConvolutionShape.up(pixels * OFFSET_BYTES, TABLE_ALIGNMENT) + TABLE_ALIGNMENT;
    }

    /** All units of partial results, in bytes, in the order that rules refer to. */
    static long[] units(ConvolutionShape q) {
        long mx = q.n() * q.inputPixels();
        long my = q.n() * q.outputPixels();
        return new long[] {
            q.c() * q.k() * q.groups() * q.taps() * FLOAT,
            weights(q, 64, 64),
            weights(q, 128, 128),
            TILE_BYTES,
            my * q.k() * q.groups() * FLOAT,
            mx * q.c() * q.groups() * FLOAT,
            weights(q, 32, 32),
            matrix(my, 64, q.k(), 64) * q.groups(),
            matrix(my, 128, q.k(), 128) * q.groups(),
            matrix(mx, 128, q.c(), 128) * q.groups(),
            bases(q)[WEIGHTS] - HEADER,
            weights(q, 64, 128),
            weights(q, 128, 64),
            matrix(mx, 64, q.c(), 64) * q.groups(),
            sums(q, 64, 64),
            sums(q, 128, 128),
            sums(q, 64, 128),
            sums(q, 128, 64),
            sums(q, 32, 32),
            sums(q, 16, 32),
            sums(q, 16, 64),
            sums(q, 64, 16),
            sums(q, 32, 16),
            ConvolutionShape.up(q.k() * q.groups(), DEPTHWISE_CHANNELS) * DEPTHWISE_CHANNELS
        };
    }

    private static long weights(ConvolutionShape q, long tileC, long tileK) {
        return matrix(q.c(), tileC, q.k(), tileK) * q.taps() * q.groups();
    }

    /** Weights as the matrix that an implicit product makes: channels and taps in one dimension. */
    private static long sums(ConvolutionShape q, long tileSum, long tileK) {
        return matrix(q.c() * q.taps(), tileSum, q.k(), tileK) * q.groups();
    }

    private static long matrix(long rows, long tileRows, long columns, long tileColumns) {
        return ConvolutionShape.up(rows, tileRows) * ConvolutionShape.up(columns, tileColumns) * FLOAT;
    }
}
