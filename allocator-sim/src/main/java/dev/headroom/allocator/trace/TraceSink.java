package dev.headroom.allocator.trace;

/** Takes what a program asked of an allocator, in order. Ids name blocks while they live; sizes are bytes. */
public interface TraceSink {
    /** A request. */
    void allocate(long id, long bytes, int stream);

    /** A request that failed when it was recorded, so that the program went on without the block. */
    void allocateFailed(long bytes, int stream);

    /** A block is given back and free at once. */
    void free(long id);

    /** A block is given back, but another stream still uses it; {@link #freeCompleted} follows. */
    void freeLater(long id);

    /** The other streams no longer use a block that {@link #freeLater} gave back. */
    void freeCompleted(long id);

    /** The program called {@code torch.cuda.empty_cache}. */
    void emptyCache();

    /**
     * Where requests go from now on.
     *
     * @param pool a private pool, or {@link dev.headroom.allocator.CachingAllocator#DEFAULT_POOL}
     */
    default void pool(int pool) {}

    /**
     * A place in the program.
     *
     * @param name such as "forward"
     * @param step training step, or -1
     * @param micro part of an accumulated step, or -1
     */
    default void mark(String name, int step, int micro) {}
}
