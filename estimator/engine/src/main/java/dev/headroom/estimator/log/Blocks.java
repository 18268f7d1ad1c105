package dev.headroom.estimator.log;

import dev.headroom.allocator.CachingAllocator;

/** Plays the events of a log on another allocator: which block each of its storages has there. */
public class Blocks implements EventLog.Visitor {
    private static final int NONE = -1;

    private final EventLog log;
    private final CachingAllocator allocator;
    private final int[] blocks;

    /** @param allocator of which nothing was asked yet */
    public Blocks(EventLog log, CachingAllocator allocator) {
        this.log = log;
        this.allocator = allocator;
        this.blocks = new int[log.storages()];
    }

    /** Bytes that are asked for in the place of the log's. */
    protected long requested(int storage) {
        return log.requested(storage);
    }

    @Override
    public void allocated(int storage) {
        long bytes = requested(storage);
        blocks[storage] = bytes > 0 ? allocator.allocate(bytes, log.stream(storage)) : NONE;
    }

    @Override
    public void freed(int storage) {
        if (blocks[storage] != NONE) {
            allocator.free(blocks[storage]);
        }
    }

    /** The last block of a storage that was born, alive or not; -1 where it asked for nothing. */
    public int of(int storage) {
        return blocks[storage];
    }

    /** Bytes of the block that a storage has just been given. */
    public long rounded(int storage) {
        return blocks[storage] == NONE ? 0 : allocator.size(blocks[storage]);
    }
}
