package dev.headroom.allocator;

/**
 * Told of everything that the allocator does, in the order and under the names of PyTorch's memory history
 * ({@code TraceEntry}). Sizes of blocks are the requested ones, before rounding; those of segments are real.
 */
public interface AllocatorListener {
    /** What happened. */
    enum Action {
        ALLOC,
        FREE_REQUESTED,
        FREE_COMPLETED,
        SEGMENT_ALLOC,
        SEGMENT_FREE,
        SEGMENT_MAP,
        SEGMENT_UNMAP,
        OOM;

        /** The name in PyTorch's snapshots, such as "free_requested". */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * @param action what happened
     * @param address of the block or segment; for an out-of-memory event the device's free bytes
     * @param bytes requested bytes of a block, real bytes of a segment
     * @param stream the stream of the request or segment
     * @param pool the private pool, or {@link CachingAllocator#DEFAULT_POOL}
     */
    void event(Action action, long address, long bytes, int stream, int pool);
}
