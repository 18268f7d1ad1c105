package dev.headroom.ops;

import dev.headroom.graph.DType;

/**
 * Temporary storage that CUB's device algorithms ask for, in bytes, as PyTorch calls them (CCCL's cub/device/dispatch;
 * ATen/cuda/cub.cuh). Parts are aligned to 256 bytes and the whole has 255 bytes of slack (cub/util_temporary_storage).
 */
final class CubScratch {
    private static final long ALIGN = 256;

    /** Pairs with an eight-byte key or value that one block sorts by itself: 256 threads with 9 each. */
    private static final long SINGLE_TILE = 256 * 9;

    /** Pairs of eight-byte keys and values that a block of a one-sweep pass takes: 384 threads with 12 each. */
    private static final long ONE_SWEEP_TILE = 384 * 12;

    private CubScratch() {}

    private static long align(long bytes) {
        return (bytes + ALIGN - 1) / ALIGN * ALIGN;
    }

    /** Bits that number {@code values} things (ATen/cuda/cub.cuh, get_num_bits). */
    static int bits(long values) {
        int n = 1;
        long v = values;
        while (v > 1) {
            v >>= 1;
            n++;
        }
        return n;
    }

    /** {@code radix_sort_pairs} with an equally wide value for each key: one-sweep passes of eight bits. */
    static long sortPairs(long n, int keyBytes, int bits) {
        if (n <= SINGLE_TILE) {
            return 1;
        }
        long passes = (bits + 7) / 8;
        long bins = passes * 256 * 8;
        long lookback = (n + ONE_SWEEP_TILE - 1) / ONE_SWEEP_TILE * 256 * 4;
        long buffer = passes > 1 ? n * keyBytes : 0;
        return align(bins) + align(lookback) + 2 * align(buffer) + align(passes * 4) + ALIGN - 1;
    }

    /** {@code unique_by_key}: tile states. */
    static long uniqueByKey(long n) {
        return 1279 + 0 * n;
    }

    /**
     * Scans. A tile is 128 threads with 15 elements of four bytes each; its state holds flag and value in one word, or, for
     * the half types, flags and two values in arrays (cub/agent/single_pass_scan_operators.cuh). An empty part follows.
     */
    static long scan(long n, DType type) {
        long tile = 128 * Math.max(1, 15 * 4 / type.bytes());
        long tiles = (n + tile - 1) / tile + 32;
        long states = type.isReducedFloat()
                ? align(4 * tiles) + 2 * align(type.bytes() * tiles)
                : align(tiles * (type.bytes() > 4 ? 16 : 8));
        return states + ALIGN + ALIGN - 1;
    }
}
