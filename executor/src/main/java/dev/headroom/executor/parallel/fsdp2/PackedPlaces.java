package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.op.basic.Multiprocessors;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;

/**
 * The lists of places that a copy of many parts hands to its kernel in one tensor (ATen/native/cuda/TensorShape.cu,
 * pack_vecs).
 */
final class PackedPlaces {
    /** Threads of a block, and bytes that each of them copies at a time. */
    private static final long THREADS = 128;

    private static final long TILE = 16 * THREADS;

    private PackedPlaces() {}

    /**
     * For {@code split_with_sizes_copy} along the second dimension: places of parts and wholes, sizes, blocks.
     *
     * @param bytes of a row of each part
     * @param rows how many
     */
    static Tensor ofSplit(Eager eager, long[] bytes, long rows) {
        long tiles = 0;
        for (long b : bytes) {
            tiles += up(b, TILE);
        }
        Gpu gpu = eager.settings().gpu();
        long atOnce = gpu.sms() * (long) Multiprocessors.threads(gpu) / THREADS * 2;
        long factor = up(tiles * rows, atOnce);
        long rowsOfBlock = Math.min((long) Math.ceil(Math.sqrt((double) factor)), rows);
        long turns = up(factor, rowsOfBlock);
        long blocks = 0;
        for (long b : bytes) {
            blocks += up(b, TILE * turns);
        }
        return eager.workspace(Long.BYTES * (4L * bytes.length + 1 + blocks));
    }

    /**
     * For {@code _chunk_cat} along the first dimension.
     *
     * @param bytes of a padded chunk of each tensor
     */
    static Tensor ofChunks(Eager eager, long[] bytes) {
        long blocks = 0;
        for (long b : bytes) {
            blocks += up(b, TILE);
        }
        return eager.workspace(Long.BYTES * (6L * bytes.length + 2 + blocks));
    }

    private static long up(long a, long b) {
        return (a + b - 1) / b;
    }
}
