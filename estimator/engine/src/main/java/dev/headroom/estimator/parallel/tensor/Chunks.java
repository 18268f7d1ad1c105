package dev.headroom.estimator.parallel.tensor;

import dev.headroom.allocator.Bytes;

/**
 * Lengths of the parts that a dimension is divided into, as {@code torch.chunk} does: the first ones are all as
 * long.
 */
final class Chunks {
    private Chunks() {}

    /** Of the first part. */
    static long largest(long length, int ranks) {
        return Bytes.ceilDiv(length, ranks);
    }

    /** Of a rank's part; 0 where nothing is left for it. */
    static long length(long length, int ranks, int rank) {
        long full = largest(length, ranks);
        return Math.max(0, Math.min(length, full * (rank + 1)) - Math.min(length, full * rank));
    }

    /** Sizes of a rank's part of a tensor. */
    static long[] local(long[] sizes, int dim, int ranks, int rank) {
        long[] out = sizes.clone();
        out[dim] = length(sizes[dim], ranks, rank);
        return out;
    }
}
