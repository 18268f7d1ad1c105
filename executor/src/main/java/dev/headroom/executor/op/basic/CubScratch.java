package dev.headroom.executor.op.basic;

import dev.headroom.allocator.Bytes;
import dev.headroom.model.device.Gpu;

/**
 * Bytes that CUB's device-wide algorithms ask PyTorch for. Each lays its arrays out in one block, every one rounded
 * up to 256 bytes, with 255 bytes more to align the first (cub/detail/temporary_storage.cuh, AliasTemporaries). Tile
 * sizes depend on the GPU's generation; they are those that PyTorch 2.14.1's calls show.
 */
public final class CubScratch {
    private static final long ALIGNMENT = 256;

    /** One digit of a radix sort has eight bits. */
    private static final int DIGIT_BITS = 8;

    private static final int DIGITS = 1 << DIGIT_BITS;

    /** Up to so many pairs of 64 bits are sorted by one block of threads, which needs a byte for form's sake. */
    private static final int SINGLE_TILE = 2304;

    /** Keys that one block of threads sorts by themselves. */
    private static final long KEY_TILE = 5760;

    /** Tile states that a scan keeps before the first tile's. */
    private static final int STATE_PADDING = 32;

    private CubScratch() {}

    private static long laidOut(long... arrays) {
        long bytes = ALIGNMENT - 1;
        for (long a : arrays) {
            bytes += Bytes.roundUp(a, ALIGNMENT);
        }
        return bytes;
    }

    /**
     * {@code DeviceRadixSort::SortPairs} of 64-bit keys with 64-bit values, onesweep.
     *
     * @param greatest key that can occur
     */
    public static long sortPairs(long n, long greatest, Gpu gpu) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, greatest));
        return sortPairs(n, Long.BYTES, bits, gpu);
    }

    /**
     * The same of keys of some width.
     *
     * @param key bytes: 4 or 8
     * @param bits that are looked at
     */
    public static long sortPairs(long n, int key, int bits, Gpu gpu) {
        if (n <= SINGLE_TILE) {
            return 1;
        }
        int passes = (int) Bytes.ceilDiv(bits, DIGIT_BITS);
        long tiles = Bytes.ceilDiv(n, tile(key, gpu));
        long bins = (long) passes * DIGITS * Long.BYTES;
        long lookback = tiles * DIGITS * Integer.BYTES;
        long counters = (long) passes * Integer.BYTES;
        // With several passes the results of all but the last go to buffers between.
        long keysBetween = passes > 1 ? n * key : 0;
        long between = passes > 1 ? n * Long.BYTES : 0;
        return laidOut(bins, lookback, counters, keysBetween, between);
    }

    private static int tile(int key, Gpu gpu) {
        if (gpu.major() < 8) {
            return 2816;
        }
        if (key == Integer.BYTES) {
            return gpu.major() >= 9 ? 5376 : 3072;
        }
        return gpu.major() >= 9 ? 4608 : 3840;
    }

    /** {@code DeviceRadixSort::SortKeys} of 64-bit keys by at most eight bits, from generation 9 on. */
    public static long sortKeys(long n, int bits) {
        long bins = Bytes.ceilDiv(bits, DIGIT_BITS) * DIGITS * Long.BYTES;
        return laidOut(bins, Bytes.ceilDiv(n, KEY_TILE) * DIGITS * Integer.BYTES, Integer.BYTES);
    }

    /** {@code DeviceSelect::UniqueByKey} of 64-bit keys with 64-bit values. */
    public static long uniqueByKey(long n, Gpu gpu) {
        return laidOut(states(n, uniqueTile(gpu), Long.BYTES), 1);
    }

    private static int uniqueTile(Gpu gpu) {
        return gpu.major() >= 9 ? 4928 : gpu.major() == 8 && gpu.minor() == 0 ? 1344 : 320;
    }

    /** Pairs that one block of threads merges. */
    private static final int MERGE_TILE = 4096;

    /** {@code thrust::sort_by_key} of 64-bit keys with 64-bit values by a function of PyTorch: a merge sort. */
    public static long mergeSort(long n) {
        return laidOut(n * Long.BYTES, n * Long.BYTES, (Bytes.ceilDiv(n, MERGE_TILE) + 1) * Long.BYTES);
    }

    /** {@code thrust::unique_by_key} of 64-bit keys with 64-bit values, counted in 32 bits. */
    public static long uniquePairs(long n, Gpu gpu) {
        return laidOut(states(n, uniqueTile(gpu), Integer.BYTES), 1, 1, 1);
    }

    /** {@code DeviceScan} of values of so many bytes each, as they are accumulated. */
    public static long scan(long n, int bytes) {
        return laidOut(states(n, bytes == Long.BYTES ? 896 : 1920, bytes), 1);
    }

    /** A tile's state is its value and a status in one word of twice the size. */
    private static long states(long n, int tile, int bytes) {
        return (Bytes.ceilDiv(n, tile) + STATE_PADDING) * 2 * bytes;
    }

    /** Flags that a tile of DeviceReduce takes. */
    private static final int FLAG_TILE = 4096;

    /** Threads of a block that sums flags, and blocks of it for each one that the card holds at once. */
    private static final int SUM_THREADS = 256;

    private static final int SUM_BLOCKS = 5;

    /** DeviceReduce::Sum of n truths, for {@code nonzero}. */
    public static long countFlags(long n, Gpu gpu) {
        long blocks = (long) gpu.sms() * (Multiprocessors.threads(gpu) / SUM_THREADS) * SUM_BLOCKS;
        return n <= FLAG_TILE ? 1 : (blocks * Integer.BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT - 1;
    }

    /** DeviceSelect::Flagged of n truths. */
    public static long selectFlags(long n, Gpu gpu) {
        int tile = gpu.major() >= 9 ? 4224 : gpu.major() == 8 && gpu.minor() == 0 ? 2304 : 640;
        long states = (Bytes.ceilDiv(n, tile) + STATE_PADDING) * Long.BYTES;
        return (states + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT + ALIGNMENT - 1;
    }

    /** DeviceSelect::Unique of integers of so many bytes each. */
    public static long unique(long n, int bytes, Gpu gpu) {
        boolean a100 = gpu.major() == 8 && gpu.minor() == 0;
        boolean wide = bytes == Long.BYTES;
        int tile = gpu.major() >= 9 ? wide ? 4224 : 6528 : a100 ? wide ? 1920 : 4608 : wide ? 640 : 1280;
        return laidOut((Bytes.ceilDiv(n, tile) + STATE_PADDING) * Long.BYTES, 1);
    }
}
