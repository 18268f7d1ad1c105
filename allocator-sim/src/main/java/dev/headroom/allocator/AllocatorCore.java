package dev.headroom.allocator;

import dev.headroom.allocator.AllocatorListener.Action;
import org.jspecify.annotations.Nullable;

/** The state that the parts of the allocator share, and the steps that all of them take. */
final class AllocatorCore {
    static final int NIL = BlockTable.NIL;

    final AllocatorSettings settings;
    final DeviceMemory memory;
    /** Bytes that may be reserved; {@link Long#MAX_VALUE} without a limit. */
    final long allowed;
    /** Whether garbage collection is on: it needs a threshold, and a limit of which that is a fraction. */
    final boolean collects;

    final BlockTable table = new BlockTable();
    final AllocatorStatistics stats;
    /** The owner of the default memory. */
    final PoolOwner everybody = new PoolOwner(CachingAllocator.DEFAULT_POOL, table, new StatArray());

    final IdealAllocator ideal = new IdealAllocator();
    /** Does nothing until {@link CachingAllocator#setListener}. */
    AllocatorListener listener = (action, address, bytes, stream, pool) -> {};
    /** Bytes held from the driver: PyTorch's total_allocated_memory. */
    long reserved;
    /** A CUDA graph is being captured. */
    boolean capturing;

    private int segmentsSoFar;

    AllocatorCore(AllocatorSettings settings, DeviceMemory memory) {
        this.settings = settings;
        this.memory = memory;
        this.allowed = settings.allowedBytes(memory.total());
        this.collects = allowed != Long.MAX_VALUE && settings.garbageCollectionThreshold() > 0;
        this.stats = new AllocatorStatistics(settings.maxSplitSize());
    }

    /**
     * The age of the next segment, which decides between free blocks of equal size (registration_counter). All are 0 in
     * versions of PyTorch that decide by address.
     */
    int nextAge() {
        if (!settings.profile().olderSegmentFirst()) {
            return 0;
        }
        if (segmentsSoFar > FreeBlocks.largestAge()) {
            throw new IllegalStateException("more than " + FreeBlocks.largestAge() + " segments were taken");
        }
        return segmentsSoFar++;
    }

    /**
     * Takes a segment with cudaMalloc. It becomes one block, which the caller hands out or puts among the free ones.
     *
     * @return the block, or {@link #NIL} when the device has no room
     */
    int takeSegment(BlockPool pool, int stream, long bytes) {
        long address = memory.allocate(bytes);
        if (address == DeviceMemory.NONE) {
            return NIL;
        }
        pool.owner.segments++;
        int block = table.create(pool, stream, address, bytes);
        table.setAge(block, nextAge());
        stats.segment.increase(pool.small, 1);
        reserve(pool, bytes);
        if (bytes >= settings.maxSplitSize()) {
            stats.oversizeSegments.increase(1);
        }
        emit(Action.SEGMENT_ALLOC, address, bytes, stream, pool);
        return block;
    }

    /** Returns a free block that is a whole segment with cudaFree. */
    void releaseSegment(int block) {
        BlockPool pool = table.pool(block);
        long bytes = table.size(block);
        long address = table.address(block);
        emit(Action.SEGMENT_FREE, address, bytes, table.stream(block), pool);
        memory.free(address, bytes);
        stats.segment.decrease(pool.small, 1);
        unreserve(pool, bytes);
        if (bytes >= settings.maxSplitSize()) {
            stats.oversizeSegments.decrease(1);
        }
        pool.remove(block);
        table.delete(block);
    }

    /** Counts memory from the driver. */
    void reserve(BlockPool pool, long bytes) {
        reserved += bytes;
        stats.deviceAllocs++;
        stats.reservedBytes.increase(pool.small, bytes);
        pool.owner.reserved.increase(pool.small, bytes);
    }

    /** Counts memory returned to the driver. */
    void unreserve(BlockPool pool, long bytes) {
        reserved -= bytes;
        stats.deviceFrees++;
        stats.reservedBytes.decrease(pool.small, bytes);
        pool.owner.segments--;
        pool.owner.reserved.decrease(pool.small, bytes);
        ideal.released(stats.activeBytesNow());
    }

    /** Puts a block that nobody uses any more among the free ones, with its free neighbours. */
    void freeBlock(int block) {
        BlockPool pool = table.pool(block);
        long size = table.size(block);
        long requested = table.requested(block);
        emit(Action.FREE_COMPLETED, table.address(block), requested, table.stream(block), pool);
        int previous = mergeable(block, table.previous(block));
        int next = mergeable(block, table.next(block));
        long before = previous == NIL ? 0 : table.size(previous);
        long after = next == NIL ? 0 : table.size(next);
        insertMerged(pool, block, previous, next);
        if (!table.isExpandable(block)) {
            int blocks = (table.isSplit(block) ? 1 : 0) - (before > 0 ? 1 : 0) - (after > 0 ? 1 : 0);
            long bytes = (table.isSplit(block) ? table.size(block) : 0) - before - after;
            change(stats.inactiveSplit, pool, blocks);
            change(stats.inactiveSplitBytes, pool, bytes);
        }
        stats.becameInactive(pool.small, size, requested);
    }

    /**
     * Joins a neighbour to a block if the neighbour is free and both have memory behind them, or both have none. The
     * block itself must not be among the free ones.
     */
    void merge(int block, int neighbour) {
        int other = mergeable(block, neighbour);
        if (other == NIL) {
            return;
        }
        if (table.isMapped(other)) {
            table.pool(block).remove(other);
        } else {
            table.pool(block).removeUnmapped(other);
        }
        absorb(block, other);
    }

    private int mergeable(int block, int neighbour) {
        return table.isFree(neighbour) && table.isMapped(block) == table.isMapped(neighbour) ? neighbour : NIL;
    }

    /**
     * Merges a block with its free neighbours and puts it in the place that one of them had among the free blocks,
     * which is cheaper than to remove the neighbour and to insert the block.
     */
    private void insertMerged(BlockPool pool, int block, int previous, int next) {
        if (previous == NIL && next == NIL) {
            pool.insert(block);
            return;
        }
        int replaced = previous;
        if (previous == NIL || next != NIL && table.size(next) > table.size(previous)) {
            replaced = next;
        }
        FreeBlocks blocks = pool.free(table.stream(block));
        if (previous != NIL && next != NIL) {
            blocks.remove(replaced == next ? previous : next);
        }
        int at = blocks.positionOf(replaced);
        if (previous != NIL) {
            absorb(block, previous);
        }
        if (next != NIL) {
            absorb(block, next);
        }
        table.setCachedAt(block, pool.searches);
        blocks.replaceAt(at, block);
    }

    /** Makes a block longer by a neighbour, whose handle ends. */
    private void absorb(int block, int neighbour) {
        BlockTable t = table;
        if (t.previous(block) == neighbour) {
            t.setAddress(block, t.address(neighbour));
            t.splice(block, t.previous(neighbour), t.next(block));
        } else {
            t.splice(block, t.previous(block), t.next(neighbour));
        }
        t.setSize(block, t.size(block) + t.size(neighbour));
        t.delete(neighbour);
    }

    /** Tells the listener. */
    void emit(Action action, long address, long bytes, int stream, BlockPool pool) {
        listener.event(action, address, bytes, stream, pool.owner.id);
    }

    /** @param message {@code null} for the usual one */
    OutOfMemoryException outOfMemory(@Nullable String message, long requestedBytes, long segment) {
        return new OutOfMemoryException(message, this, requestedBytes, segment);
    }

    private static void change(StatArray stat, BlockPool pool, long by) {
        if (by > 0) {
            stat.increase(pool.small, by);
        } else if (by < 0) {
            stat.decrease(pool.small, -by);
        }
    }
}
