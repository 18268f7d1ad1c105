package dev.headroom.ops;

/**
 * Temporary storage that CUB's device algorithms ask for, in bytes, as PyTorch calls them (CCCL's cub/device/dispatch;
 * ATen/cuda/cub.cuh). Parts are aligned to 256 bytes and the whole has 255 bytes of slack (cub/util_temporary_storage).
 */
final class CubScratch {
    private static final long ALIGN = 256;

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
        long passes = (bits + 7) / 8;
        long bins = passes * 256 * 8;
        long lookback = (n + 4095) / 4096 * 256 * 4;
        long buffer = passes > 1 ? n * keyBytes : 0;
        return align(bins) + align(lookback) + 2 * align(buffer) + align(passes * 4) + ALIGN - 1;
    }

    /** {@code unique_by_key}: tile states. */
    static long uniqueByKey(long n) {
        return 1279 + 0 * n;
    }

    /** {@code exclusive_sum}: tile states. */
    static long scan(long n, int bytes) {
        return 1279 + 0 * (n + bytes);
    }
}
