package dev.headroom.model.quant;

import dev.headroom.allocator.Bytes;
import dev.headroom.model.graph.DType;

/**
 * Whether a product with a 4-bit weight is one kernel that reads the packed weight, or the weight is restored for
 * cuBLAS: bitsandbytes decides by rows, shape and generation of the GPU (bitsandbytes 0.50,
 * backends/cuda/ops.py, gemm_4bit and _gemm_4bit_use_custom_cuda).
 */
public final class FusedKernel {
    private static final long MOST_ROWS = 1536;
    private static final long MOST_ROWS_OF_LARGE = 512;
    private static final long ALWAYS = 4;
    private static final long NONE = 0;

    /** Rows that the kernel without tensor cores takes. */
    private static final long SCALAR = 7;

    /** Elements of a weight from which on it is a large one. */
    private static final long LARGE = 4L << 20;

    /** Columns of the result that a block of threads computes. */
    private static final long TILE = 64;

    /**
     * What of a GPU decides.
     *
     * @param major compute capability
     * @param minor compute capability
     * @param sms streaming multiprocessors
     */
    public record Card(int major, int minor, int sms) {}

    private final Card gpu;
    private final long n;
    private final long k;
    private final long blocks;
    private final long sms;

    private FusedKernel(Card gpu, long n, long k) {
        this.gpu = gpu;
        this.n = n;
        this.k = k;
        this.blocks = Bytes.ceilDiv(n, TILE);
        this.sms = gpu.sms();
    }

    /**
     * Whether the kernel takes a product.
     *
     * @param type of the input
     * @param rows of the input
     * @param n rows of the weight: features out
     * @param k its columns: features in
     */
    public static boolean takes(Card gpu, DType type, long rows, long n, long k) {
        if (rows > MOST_ROWS || k % FourBit.BLOCK != 0) {
            return false;
        }
        FusedKernel kernel = new FusedKernel(gpu, n, k);
        return rows <= ALWAYS || rows <= kernel.limit(type, rows);
    }

    private boolean is(int major, int minor) {
        return gpu.major() == major && gpu.minor() == minor;
    }

    /** Whether the GPU has the memory of data centres. */
    private boolean hbm() {
        return is(8, 0) || gpu.major() == 9;
    }

    /** Whether blocks fill at least {@code part / whole} of the multiprocessors. */
    private boolean fill(long part, long whole) {
        return blocks * whole >= sms * part;
    }

    /** The most rows that the kernel takes. */
    private long limit(DType type, long rows) {
        boolean halfCores = gpu.major() > 7 || is(7, 5) && type == DType.FLOAT16;
        if (type == DType.FLOAT32 || !halfCores) {
            return SCALAR;
        }
        if (is(8, 7) || gpu.major() == 11) {
            return NONE;
        }
        if (gpu.major() == 10) {
            return fill(3, 1) ? 32 : fill(1, 1) && k < n ? 8 : NONE;
        }
        if (n * k < LARGE) {
            return 2 * k < n ? shortRows() : small(rows);
        }
        if (rows > MOST_ROWS_OF_LARGE) {
            return NONE;
        }
        return rows <= SCALAR ? few(rows) : large();
    }

    /** Of small weights with rows shorter than half the columns. */
    private long shortRows() {
        if (is(8, 0)) {
            return fill(1, 3) ? 512 : 1536;
        }
        if (gpu.major() == 9) {
            return fill(1, 3) ? 320 : 512;
        }
        if (is(7, 5)) {
            return fill(3, 1) ? 320 : k >= 1024 ? 64 : k >= 704 ? 96 : 320;
        }
        return fill(1, 1) || blocks * k <= sms * 320 ? 320 : 192;
    }

    /** Of other small weights. */
    private long small(long rows) {
        boolean quarter = blocks * 4 <= sms;
        if (is(8, 0) && quarter) {
            return k < n ? 384 : blocks * 8 <= sms ? 32 : 128;
        }
        if (is(7, 5) && blocks < sms && rows > 8) {
            return 64;
        }
        if (quarter) {
            return k < n || hbm() ? 32 : 23;
        }
        return blocks * 2 <= sms ? 16 : NONE;
    }

    /** Of five to seven rows, which need no tensor cores. */
    private long few(long rows) {
        boolean crowded = hbm() && rows >= 6 && blocks >= (gpu.major() == 9 ? 36 : 48);
        boolean most = fill(3, 4);
        boolean half = fill(3, 5);
        boolean lost = k > n && !most || k == n && (is(8, 0) && !half || gpu.major() == 9 && !most && half);
        return crowded && lost ? NONE : SCALAR;
    }

    private long large() {
        if (is(7, 5)) {
            return fill(3, 1) ? (k < n ? 128 : 64) : blocks >= sms / 2 ? 64 : 32;
        }
        if (is(8, 0)) {
            return ampere();
        }
        if (is(8, 6)) {
            return fill(1, 1) ? 128 : blocks >= sms / 2 ? 64 : 16;
        }
        if (gpu.major() == 9) {
            return hopper();
        }
        if (is(12, 1) && fill(1, 1)) {
            return 256;
        }
        return is(12, 0) ? blackwell() : ada();
    }

    private long ampere() {
        if (fill(3, 1)) {
            return 128;
        }
        if (fill(1, 1)) {
            return k < n ? 64 : 32;
        }
        boolean tall = k >= 3 * n && blocks * 4 > sms;
        boolean square = k == n && blocks >= 48 && !fill(3, 5);
        if (tall || square) {
            return NONE;
        }
        if (!fill(1, 2) && (k <= n || fill(1, 3))) {
            return k <= n ? 128 : NONE;
        }
        return blocks >= sms / 2 && k < n ? 128 : 16;
    }

    private long hopper() {
        if (fill(3, 1)) {
            return 64;
        }
        if (fill(2, 1)) {
            return 48;
        }
        if (fill(1, 1)) {
            return 32;
        }
        return blocks >= sms / 2 && (k < n || fill(3, 4)) ? 16 : NONE;
    }

    private long blackwell() {
        if (fill(3, 1)) {
            return 256;
        }
        if (fill(2, 1)) {
            return 128;
        }
        if (fill(4, 5)) {
            return k >= n ? 96 : 64;
        }
        if (blocks >= sms / 2) {
            return 2 * k >= n && blocks >= 128 ? 64 : 8;
        }
        return k > 2 * n && blocks > 64 ? 16 : 8;
    }

    /** Also of generations that bitsandbytes has no figures of. */
    private long ada() {
        boolean tall = k > 2 * n;
        if (fill(3, 1)) {
            return 256;
        }
        if (fill(2, 1)) {
            return 128;
        }
        if (fill(4, 5)) {
            return tall || blocks >= 200 || k >= n && sms >= 60 ? 128 : k >= n ? 32 : 64;
        }
        if (blocks >= sms / 2) {
            return tall ? 64 : blocks >= 64 ? 8 : 32;
        }
        if (k > n && blocks <= 48) {
            return k >= 3 * n ? 12 : 10;
        }
        return tall || blocks < 48 ? 16 : 8;
    }
}
