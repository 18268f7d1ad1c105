package dev.headroom.estimator.op.core;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.model.graph.DType;

/**
 * Temporary storage that CUB's device algorithms ask for, in bytes, as PyTorch calls them (CCCL's cub/device/dispatch;
 * ATen/cuda/cub.cuh). Parts are aligned to 256 bytes and the whole has 255 bytes of slack (cub/util_temporary_storage).
 * Tiles are those of CUB's tuning policies for the GPU generation.
 */
public final class CubScratch {
    private static final long ALIGN = 256;
    private static final int DIGITS = 256;
    private static final int DIGIT_BITS = 8;

    /** Bytes of a position or count in a bin. */
    private static final int OFFSET = 8;

    /** Items that one kernel launch of a sort takes at most. */
    private static final long PORTION = (1L << 28) - 1;

    /** Tile states that lie before the first (cub/agent/single_pass_scan_operators.cuh, TILE_STATUS_PADDING). */
    private static final long STATE_PADDING = 32;

    private CubScratch() {}

    private static long align(long bytes) {
        return Bytes.ceilDiv(bytes, ALIGN) * ALIGN;
    }

    /** Bits that number {@code values} things (ATen/cuda/cub.cuh, get_num_bits). */
    public static int bits(long values) {
        int n = 1;
        long v = values;
        while (v > 1) {
            v >>= 1;
            n++;
        }
        return n;
    }

    /** {@code radix_sort_pairs} with an equally wide value for each key. */
    public static long sortPairs(DeviceModel d, long n, int width, int bits) {
        return sortPairs(d, n, width, width, bits);
    }

    /**
     * {@code radix_sort_pairs}: one-sweep passes of eight bits, or a single tile
     * (cub/device/dispatch/dispatch_radix_sort.cuh).
     *
     * @param key bytes of a key: 4 or 8
     * @param value bytes of a value, no fewer
     */
    public static long sortPairs(DeviceModel d, long n, int key, int value, int bits) {
        long singleTile = 256L * (value == 8 ? 9 : 19);
        if (n <= singleTile) {
            return 1;
        }
        long tile = sortTile(d, key, value);
        long portion = PORTION / tile * tile;
        long portions = Bytes.ceilDiv(n, portion);
        long passes = Bytes.ceilDiv(bits, DIGIT_BITS);
        long bins = portions * passes * DIGITS * OFFSET;
        long lookback = Bytes.ceilDiv(Math.min(n, portion), tile) * DIGITS * 4;
        long keys = passes > 1 ? n * key : 0;
        long values = passes > 1 ? n * value : 0;
        return align(bins) + align(lookback) + align(keys) + align(values) + align(portions * passes * 4) + ALIGN - 1;
    }

    /** {@code radix_sort_keys} of 8-byte keys by at most eight bits, from generation 9 on. */
    public static long sortWideKeys(long n, int bits) {
        long tile = 384L * 15;
        long bins = Bytes.ceilDiv(bits, DIGIT_BITS) * DIGITS * OFFSET;
        return align(bins) + align(Bytes.ceilDiv(n, tile) * DIGITS * 4) + align(4) + ALIGN - 1;
    }

    private static long sortTile(DeviceModel d, int key, int value) {
        if (d.major() < 8) {
            return 256L * (value == 8 ? 11 : 46);
        }
        if (value == 4) {
            return 384 * 17;
        }
        if (key == 4) {
            return d.major() == 8 ? 256L * 12 : 384L * 14;
        }
        return 384L * (d.major() == 8 ? 10 : 12);
    }

    /** {@code unique_by_key} (cub/device/dispatch/dispatch_unique_by_key.cuh): tile states of 16 bytes. */
    public static long uniqueByKey(DeviceModel d, long n, int width) {
        return states(Bytes.ceilDiv(n, uniqueTile(d, width)), 16);
    }

    /** {@code thrust::unique_by_key} of pairs of 8 bytes each, counted in 32 bits. */
    public static long uniquePairs(DeviceModel d, long n) {
        return states(Bytes.ceilDiv(n, uniqueTile(d, 8)), 8) + 2 * ALIGN;
    }

    /** {@code thrust::sort_by_key} of pairs of 8 bytes each by a function of PyTorch: a merge sort of tiles. */
    public static long mergeSort(long n) {
        long tiles = Bytes.ceilDiv(n, 4096);
        return 2 * align(8 * n) + align((tiles + 1) * OFFSET) + ALIGN - 1;
    }

    private static long uniqueTile(DeviceModel d, int width) {
        if (d.major() >= 9) {
            return width == 8 ? 448 * 11 : 512 * 14;
        }
        if (d.major() == 8 && d.minor() == 0) {
            return width == 8 ? 192 * 7 : 256 * 11;
        }
        return 64L * (width == 8 ? 5 : 11);
    }

    /** {@code DeviceSelect::Unique} (cub/device/dispatch/dispatch_select_if.cuh): tile states of 8 bytes. */
    public static long unique(DeviceModel d, long n, int width) {
        long narrow = byGeneration(d, 384 * 17, 384 * 12, 128 * 10);
        return states(Bytes.ceilDiv(n, width == 8 ? byGeneration(d, 384 * 11, 128 * 15, 128 * 5) : narrow), 8);
    }

    /** {@code DeviceSelect::Flagged} of the numbers of places. */
    public static long flagged(DeviceModel d, long n) {
        return states(Bytes.ceilDiv(n, byGeneration(d, 384 * 11, 128 * 18, 128 * 5)), 8);
    }

    private static long byGeneration(DeviceModel d, long hopper, long a100, long other) {
        if (d.major() >= 9) {
            return hopper;
        }
        return d.major() == 8 && d.minor() == 0 ? a100 : other;
    }

    /** {@code exclusive_sum} (cub/device/dispatch/dispatch_scan.cuh): a state is the value with a flag of its size. */
    public static long scan(long n, int width) {
        return states(Bytes.ceilDiv(n, 128L * (width == 8 ? 7 : 15)), 2 * width);
    }

    /**
     * {@code inclusive_scan} of a tensor. States of half types are flags and two values, each in an array of its own.
     */
    public static long scan(long n, DType type) {
        if (!type.isReducedFloat()) {
            return scan(n, type.bytes());
        }
        long tiles = Bytes.ceilDiv(n, 128 * 30) + STATE_PADDING;
        return align(4 * tiles) + 2 * align(type.bytes() * tiles) + ALIGN + ALIGN - 1;
    }

    private static long states(long tiles, int bytes) {
        return align((tiles + STATE_PADDING) * bytes) + ALIGN + ALIGN - 1;
    }
}
