package dev.headroom.estimator.parallel.layout;

import java.util.Arrays;

/**
 * Bytes of the tables that kernels which copy many tensors at once bring to the device: pointers, offsets and the work
 * of each thread block, eight bytes an entry.
 */
public final class CopyMetadata {
    private static final long ENTRY = 8;

    /** Bytes that a thread block copies in one go: 128 threads of 16 bytes (BLOCK_SIZE · BYTES_PER_THREAD). */
    private static final long BLOCK_BYTES = 2048;

    private static final int BLOCK_THREADS = 128;
    private static final int WAVES = 2;

    private CopyMetadata() {}

    /**
     * {@code split_with_sizes_copy} of a gathered buffer into parameters
     * (aten/src/ATen/native/cuda/TensorShape.cu, split_with_sizes_copy_out_cuda_contiguous_no_cast).
     *
     * @param shardBytes of each parameter, as one rank has it
     * @param chunks how many ranks' shards lie in the buffer
     * @param sms multiprocessors of the card
     * @param smThreads that one of them can hold
     */
    public static long split(long[] shardBytes, int chunks, int sms, int smThreads) {
        long blocksOfChunk =
                Arrays.stream(shardBytes).map(b -> ceilDiv(b, BLOCK_BYTES)).sum();
        long atOnce = (long) sms * smThreads / BLOCK_THREADS * WAVES;
        long iterations = ceilDiv(blocksOfChunk * chunks, atOnce);
        long chunksPerBlock = Math.min((long) Math.ceil(Math.sqrt((double) iterations)), chunks);
        long iterationsPerChunk = ceilDiv(iterations, chunksPerBlock);
        long blocks = Arrays.stream(shardBytes)
                .map(b -> ceilDiv(b, BLOCK_BYTES * iterationsPerChunk))
                .sum();
        long n = shardBytes.length;
        return ENTRY * (3 * n + blocks + n + 1);
    }

    /**
     * {@code _chunk_cat} of gradients into the buffer that is reduced
     * (aten/src/ATen/native/cuda/TensorShape.cu, _chunk_cat_out_cuda_contiguous).
     *
     * @param paddedBytes of each gradient's chunk, in the type of the buffer
     */
    public static long cat(long[] paddedBytes) {
        long blocks =
                Arrays.stream(paddedBytes).map(b -> ceilDiv(b, BLOCK_BYTES)).sum();
        long n = paddedBytes.length;
        return ENTRY * (n + blocks + 2 * (n + 1) + 3 * n);
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b;
    }
}
