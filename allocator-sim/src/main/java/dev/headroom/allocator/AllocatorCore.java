package dev.headroom.allocator;

import dev.headroom.allocator.AllocatorListener.Action;
import dev.headroom.allocator.PoolSums.Counter;
import org.jspecify.annotations.Nullable;

/** The state that the parts of the allocator share, and the steps that all of them take. */
final class AllocatorCore {
    final AllocatorSettings settings;
    final DeviceMemory memory;
    /** Bytes that may be reserved; {@link Long#MAX_VALUE} without a limit. */
    final long allowed;
    /** Whether garbage collection is on: it needs a threshold, and a limit of which that is a fraction. */
    final boolean collects;

    final BlockTable table = new BlockTable();
    final AllocatorStatistics stats;
    /** The owner of the default memory. */
    final PoolOwner everybody;

    /** {@code null} until {@link CachingAllocator#setListener}. */
    @Nullable
    AllocatorListener listener;
    /** Bytes held from the driver: PyTorch's total_allocated_memory. */
    long reserved;
    /** A CUDA graph is being captured. */
    boolean capturing;
    /** How often more was done than to hand out memory and take it back; uses on other streams are told apart. */
    long interventions;

    private int segmentsSoFar;

    AllocatorCore(AllocatorSettings settings, DeviceMemory memory) {
        this.settings = settings;
        this.memory = memory;
        this.allowed = settings.allowedBytes(memory.total());
        this.collects = allowed != Long.MAX_VALUE && settings.garbageCollectionThreshold() > 0;
        this.stats = new AllocatorStatistics(settings.maxSplitSize());
        this.everybody =
                new PoolOwner(CachingAllocator.DEFAULT_POOL, table, stats, new StatArray(Counter.RESERVED_BYTES));
    }

    /** Takes over the state of another, all of whose blocks are of the default memory. */
    void copyFrom(AllocatorCore other) {
        reserved = other.reserved;
        interventions = other.interventions;
        segmentsSoFar = other.segmentsSoFar;
        stats.copyFrom(other.stats);
        table.copyFrom(other.table, everybody);
        everybody.copyFrom(other.everybody);
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
     * @return the block, or nothing when the device has no room
     */
    @Nullable
    Block takeSegment(BlockPool pool, int stream, long bytes) {
        long address = memory.allocate(bytes);
        if (address == DeviceMemory.NONE) {
            return null;
        }
        pool.owner.segments++;
        Block block = table.create(pool.free(stream), address, bytes);
        block.age = nextAge();
        stats.segment.increase(pool.small, 1);
        reserve(pool, bytes);
        if (bytes >= settings.maxSplitSize()) {
            stats.oversizeSegments.increase(pool.small, 1);
        }
        emit(Action.SEGMENT_ALLOC, address, bytes, stream, pool);
        return block;
    }

    /** Returns a free block that is a whole segment with cudaFree. */
    void releaseSegment(Block block) {
        BlockPool pool = block.pool();
        long bytes = block.size;
        emit(Action.SEGMENT_FREE, block.address, bytes, block.stream(), pool);
        memory.free(block.address, bytes);
        stats.segment.decrease(pool.small, 1);
        unreserve(pool, bytes);
        if (bytes >= settings.maxSplitSize()) {
            stats.oversizeSegments.decrease(pool.small, 1);
        }
        block.list.remove(block);
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
        stats.released();
    }

    /** Hands out a block that is not among the free ones. */
    void use(Block block, long requestedBytes) {
        block.allocate(requestedBytes);
        BlockPool pool = block.pool();
        emit(Action.ALLOC, block.address, requestedBytes, block.stream(), pool);
        stats.handedOut(pool.sums, block.size, requestedBytes);
        if (block.size >= stats.maxSplitSize) {
            stats.oversizeAllocations.increase(pool.small, 1);
        }
    }

    /** A cudaMalloc of its own. PyTorch counts nothing in this mode; here each request counts as a segment. */
    Block allocateUncached(long bytes, int stream) {
        Block block = takeSegment(everybody.pool(bytes), stream, bytes);
        if (block == null) {
            throw outOfMemory("CUDA error: out of memory (caching is off)", bytes, bytes);
        }
        use(block, bytes);
        return block;
    }

    void freeUncached(Block block) {
        BlockPool pool = block.pool();
        block.deallocate();
        emit(Action.FREE_REQUESTED, block.address, block.requested, block.stream(), pool);
        stats.givenBack(pool.sums, block.size);
        freeBlock(block);
        releaseSegment(block);
    }

    /** Puts a block that nobody uses any more among the free ones, with its free neighbours. */
    void freeBlock(Block block) {
        BlockPool pool = block.pool();
        long size = block.size;
        emit(Action.FREE_COMPLETED, block.address, block.requested, block.stream(), pool);
        long before = mergeFree(block, block.previous);
        long after = mergeFree(block, block.next);
        cache(block);
        if (!block.isExpandable()) {
            int parts = (block.isSplit() ? 1 : 0) - (before > 0 ? 1 : 0) - (after > 0 ? 1 : 0);
            long bytes = (block.isSplit() ? block.size : 0) - before - after;
            stats.splitChanged(pool.sums, parts, bytes);
        }
        stats.becameInactive(pool.sums, size, block.requested);
    }

    /** Puts a block among the free ones. */
    void cache(Block block) {
        FreeBlocks blocks = block.list;
        block.cachedAt = blocks.pool.searches;
        blocks.insert(block);
    }

    /**
     * Joins a neighbour with memory behind it to a block, if the neighbour is free.
     *
     * @return bytes of the neighbour, 0 when it was not joined
     */
    private long mergeFree(Block block, @Nullable Block neighbour) {
        if (neighbour == null || !block.isLike(neighbour)) {
            return 0;
        }
        long bytes = neighbour.size;
        neighbour.list.remove(neighbour);
        table.absorb(block, neighbour);
        return bytes;
    }

    /**
     * Joins a neighbour to a block if the neighbour is free and both have memory behind them, or both have none. The
     * block itself must not be among the free ones.
     */
    void merge(Block block, @Nullable Block neighbour) {
        if (block.isMapped()) {
            mergeFree(block, neighbour);
        } else if (neighbour != null && block.isLike(neighbour)) {
            block.pool().removeUnmapped(neighbour);
            table.absorb(block, neighbour);
        }
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
