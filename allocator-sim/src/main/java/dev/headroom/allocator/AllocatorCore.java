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

    /** {@code null} until {@link CachingAllocator#setListener}. */
    @Nullable AllocatorListener listener;
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

    /** Takes over the state of another, all of whose blocks are of the default memory. */
    void copyFrom(AllocatorCore other) {
        reserved = other.reserved;
        segmentsSoFar = other.segmentsSoFar;
        stats.copyFrom(other.stats);
        everybody.copyFrom(other.everybody);
        table.copyFrom(other.table, everybody);
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
        int block = table.create(pool.free(stream), address, bytes);
        table.setAge(block, nextAge());
        stats.segment.increase(pool.sums, 1);
        reserve(pool, bytes);
        if (bytes >= settings.maxSplitSize()) {
            stats.oversizeSegments.increase(pool.sums, 1);
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
        stats.segment.decrease(pool.sums, 1);
        unreserve(pool, bytes);
        if (bytes >= settings.maxSplitSize()) {
            stats.oversizeSegments.decrease(pool.sums, 1);
        }
        pool.remove(block);
        table.delete(block);
    }

    /** Counts memory from the driver. */
    void reserve(BlockPool pool, long bytes) {
        reserved += bytes;
        stats.deviceAllocs++;
        stats.reservedBytes.increase(pool.sums, bytes);
        pool.owner.reserved.increase(pool.sums, bytes);
    }

    /** Counts memory returned to the driver. */
    void unreserve(BlockPool pool, long bytes) {
        reserved -= bytes;
        stats.deviceFrees++;
        stats.reservedBytes.decrease(pool.sums, bytes);
        pool.owner.segments--;
        pool.owner.reserved.decrease(pool.sums, bytes);
        stats.released();
    }

    /** Hands out a block that is not among the free ones. */
    void use(int block, long requestedBytes) {
        table.allocate(block, requestedBytes);
        FreeBlocks list = table.list(block);
        BlockPool pool = list.pool;
        long size = table.size(block);
        emit(Action.ALLOC, table.address(block), requestedBytes, list.stream, pool);
        stats.handedOut(pool.sums, size, requestedBytes);
        if (size >= stats.maxSplitSize) {
            stats.oversizeAllocations.increase(pool.sums, 1);
        }
    }

    /** A cudaMalloc of its own. PyTorch counts nothing in this mode; here each request counts as a segment. */
    int allocateUncached(long bytes, int stream) {
        int block = takeSegment(everybody.pool(bytes), stream, bytes);
        if (block == NIL) {
            throw outOfMemory("CUDA error: out of memory (caching is off)", bytes, bytes);
        }
        use(block, bytes);
        return block;
    }

    void freeUncached(int block) {
        BlockPool pool = table.pool(block);
        table.deallocate(block);
        emit(Action.FREE_REQUESTED, table.address(block), table.requested(block), table.stream(block), pool);
        stats.givenBack(pool.sums, table.size(block));
        freeBlock(block);
        releaseSegment(block);
    }

    /** Puts a block that nobody uses any more among the free ones, with its free neighbours. */
    void freeBlock(int block) {
        FreeBlocks blocks = table.list(block);
        BlockPool pool = blocks.pool;
        long size = table.size(block);
        long requested = table.requested(block);
        emit(Action.FREE_COMPLETED, table.address(block), requested, blocks.stream, pool);
        int previous = mergeable(block, table.previous(block));
        int next = mergeable(block, table.next(block));
        long before = previous == NIL ? 0 : table.size(previous);
        long after = next == NIL ? 0 : table.size(next);
        if (previous != NIL) {
            blocks.remove(previous, before, table.age(previous));
            table.absorb(block, previous);
        }
        if (next != NIL) {
            blocks.remove(next, after, table.age(next));
            table.absorb(block, next);
        }
        cache(block);
        if (!table.isExpandable(block)) {
            int parts = (table.isSplit(block) ? 1 : 0) - (before > 0 ? 1 : 0) - (after > 0 ? 1 : 0);
            long bytes = (table.isSplit(block) ? table.size(block) : 0) - before - after;
            stats.inactiveSplit(pool.sums, parts, bytes);
        }
        stats.becameInactive(pool.sums, size, requested);
    }

    /** Puts a block among the free ones. */
    void cache(int block) {
        FreeBlocks blocks = table.list(block);
        table.setCachedAt(block, blocks.pool.searches);
        blocks.insert(block, table.size(block), table.age(block));
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
        table.absorb(block, other);
    }

    private int mergeable(int block, int neighbour) {
        return neighbour != NIL && table.isLike(block, neighbour) ? neighbour : NIL;
    }

    /** Tells the listener. */
    void emit(Action action, long address, long bytes, int stream, BlockPool pool) {
        if (listener != null) {
            listener.event(action, address, bytes, stream, pool.owner.id);
        }
    }

    /** @param message {@code null} for the usual one */
    OutOfMemoryException outOfMemory(@Nullable String message, long requestedBytes, long segment) {
        return new OutOfMemoryException(message, this, requestedBytes, segment);
    }
}
