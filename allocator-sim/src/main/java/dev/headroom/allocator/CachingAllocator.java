package dev.headroom.allocator;

import dev.headroom.allocator.AllocatorListener.Action;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;

/**
 * PyTorch's CUDA caching allocator for one device: the policy of {@code c10/cuda/CUDACachingAllocator.cpp}, decision by
 * decision, over any {@link DeviceMemory}. Sizes and addresses are bytes; streams are small numbers from 0; blocks are
 * handles of at least 0, valid until freed. Not safe for use by several threads.
 */
public final class CachingAllocator {
    /** The id that stands for memory outside of private pools. */
    public static final int DEFAULT_POOL = 0;

    /** Streams are numbered below this. */
    public static final int MAX_STREAMS = 1 << 16;

    private static final int NIL = BlockTable.NIL;
    private static final long EXABYTE = 1L << 60;

    private final AllocatorSettings settings;
    private final AllocatorCore core;
    private final BlockTable table;
    private final AllocatorStatistics stats;
    private final ExpandableSegments expandable;
    private final CacheRelease release;
    private final StreamEvents events;
    private final PrivatePools pools;
    private final long maxSplitSize;
    private final boolean expands;
    private boolean capturing;
    /** The request in hand was refused by throw_on_cudamalloc_oom. */
    private boolean rejected;

    /**
     * @param settings options, limit and version
     * @param memory the device's memory
     */
    public CachingAllocator(AllocatorSettings settings, DeviceMemory memory) {
        this.settings = Objects.requireNonNull(settings);
        core = new AllocatorCore(settings, Objects.requireNonNull(memory));
        table = core.table;
        stats = core.stats;
        expandable = new ExpandableSegments(core);
        release = new CacheRelease(core, expandable);
        events = new StreamEvents(table, core::freeBlock);
        pools = new PrivatePools(core, release);
        maxSplitSize = settings.maxSplitSize();
        expands = settings.expandableSegments();
    }

    /**
     * Hands out memory.
     *
     * @param requestedBytes more than zero
     * @param stream whose work uses the memory
     * @return the block's handle
     * @throws OutOfMemoryException when neither cached nor new memory can serve the request
     * @throws IllegalArgumentException when the size is not positive or the stream out of range
     */
    public int allocate(long requestedBytes, int stream) {
        if (requestedBytes <= 0 || stream < 0 || stream >= MAX_STREAMS) {
            throw rejected(requestedBytes, stream);
        }
        if (requestedBytes >= EXABYTE) {
            throw outOfMemory(
                    "CUDA out of memory. Tried to allocate more than 1EB memory.", requestedBytes, requestedBytes);
        }
        if (!settings.caching()) {
            return allocateUncached(requestedBytes, stream);
        }
        if (!capturing && !events.idle()) {
            events.process();
        }
        long size = settings.roundSize(requestedBytes);
        BlockPool pool = pools.of(stream).pool(size);
        FreeBlocks blocks = pool.free(stream);
        int at = find(pool, blocks, size, expands);
        int block;
        if (at != FreeBlocks.NONE) {
            block = blocks.block(at);
            if (shouldSplit(block, size, expands)) {
                block = split(block, size);
                table.setCachedAt(table.next(block), pool.searches);
                blocks.replaceAt(at, table.next(block));
                use(block, requestedBytes);
                return block;
            }
            blocks.removeAt(at);
        } else {
            block = allocateSegment(pool, stream, size, requestedBytes);
            // A block lent by another pool is treated as if segments did not expand (try_mempool_fallback).
            if (shouldSplit(block, size, expands && table.pool(block) == pool)) {
                block = split(block, size);
                table.pool(block).insert(table.next(block));
                use(block, requestedBytes);
                return block;
            }
        }
        if (table.isSplit(block) && !table.isExpandable(block)) {
            boolean small = table.pool(block).small;
            stats.inactiveSplitBytes.decrease(small, table.size(block));
            stats.inactiveSplit.decrease(small, 1);
        }
        use(block, requestedBytes);
        return block;
    }

    /**
     * Takes a block back. Its memory serves new requests on its stream at once, or when the other streams that recorded
     * a use have come that far.
     *
     * @throws IllegalArgumentException when the handle is not a block in use
     */
    public void free(int block) {
        checkInUse(block);
        if (!settings.caching()) {
            freeUncached(block);
            return;
        }
        table.deallocate(block);
        BlockPool pool = table.pool(block);
        long size = table.size(block);
        stats.givenBack(pool.small, size);
        core.emit(Action.FREE_REQUESTED, table.address(block), table.requested(block), table.stream(block), pool);
        if (size >= maxSplitSize) {
            stats.oversizeAllocations.decrease(1);
        }
        if (!table.isUsedElsewhere(block)) {
            core.freeBlock(block);
        } else if (capturing) {
            events.defer(block);
        } else {
            events.insert(block);
        }
    }

    /** Notes that work on another stream uses a block ({@code Tensor.record_stream}); its own stream does not count. */
    public void recordStream(int block, int stream) {
        checkInUse(block);
        checkStream(stream);
        if (settings.caching() && stream != table.stream(block)) {
            events.record(block, stream, capturing);
        }
    }

    /**
     * Marks a stream as busy: the uses recorded on it are not over until {@link #streamIdle}, or until the allocator
     * waits for all streams. Without this, work on streams is over as soon as it is asked for.
     */
    public void streamBusy(int stream) {
        checkStream(stream);
        events.hold(stream);
    }

    /** Ends {@link #streamBusy}; blocks become free at the next allocation, as PyTorch looks at events only then. */
    public void streamIdle(int stream) {
        checkStream(stream);
        events.release(stream);
    }

    /** Returns all cached memory that can be returned ({@code torch.cuda.empty_cache}). */
    public void emptyCache() {
        releaseCached();
    }

    /** Starts to send the requests of some streams to a private pool, which is made when there is none of this id. */
    public void beginAllocateToPool(int pool, IntPredicate streams) {
        checkPool(pool);
        pools.begin(pool, Objects.requireNonNull(streams));
    }

    /** Ends what {@link #beginAllocateToPool} began; the pool and its memory stay. */
    public void endAllocateToPool(int pool) {
        pools.end(pool);
    }

    /** Makes a private pool, or notes one more user of it ({@code torch.cuda.MemPool}). */
    public void createPool(int pool) {
        checkPool(pool);
        pools.createOrUse(pool);
    }

    /** One user less of a private pool; without users its memory goes back when cached memory is returned. */
    public void releasePool(int pool) {
        pools.release(pool);
    }

    /** Returns the cached memory of one private pool, if it has no users ({@code torch.cuda.empty_cache} within it). */
    public void emptyCache(int pool) {
        if (pools.isUnused(pool)) {
            stats.syncAllStreams++;
            events.synchronize(pools.get(pool));
            pools.releaseUnused(pool);
        }
    }

    /** The last reference to a {@code torch.cuda.MemPool} goes: {@link #releasePool}, then {@link #emptyCache(int)}. */
    public void dropPool(int pool) {
        releasePool(pool);
        emptyCache(pool);
    }

    /** Lets requests that would fail use free blocks of a private pool. */
    public void setUseOnOutOfMemory(int pool, boolean use) {
        pools.get(pool).useOnOutOfMemory = use;
    }

    /** Hands out only whole segments in a private pool. */
    public void setNoSplit(int pool) {
        pools.get(pool).splits = false;
    }

    /** A CUDA graph is being captured: nothing waits, nothing goes back to the driver until {@link #endCapture}. */
    public void beginCapture() {
        capturing = true;
    }

    /** Ends {@link #beginCapture}. */
    public void endCapture() {
        capturing = false;
    }

    /** Bytes of a block in use. */
    public long size(int block) {
        checkInUse(block);
        return table.size(block);
    }

    /** Bytes that were asked for. */
    public long requested(int block) {
        checkInUse(block);
        return table.requested(block);
    }

    /** First byte of a block in use. */
    public long address(int block) {
        checkInUse(block);
        return table.address(block);
    }

    /** The counters, seen live: the same object at every call. */
    public AllocatorStatistics statistics() {
        return stats;
    }

    /** Sets all peaks to the current values ({@code torch.cuda.reset_peak_memory_stats}). */
    public void resetPeakStatistics() {
        stats.resetPeak();
    }

    /** Sets all accumulated counters to zero ({@code torch.cuda.reset_accumulated_memory_stats}). */
    public void resetAccumulatedStatistics() {
        stats.resetAccumulated();
    }

    /** All segments now, in address order. */
    public List<Segment> segments() {
        return SegmentMap.of(table);
    }

    /** Bytes that an allocator without fragmentation would hold now; see {@link #fragmentationBytes}. */
    public long idealReservedBytes() {
        return Math.min(core.ideal.reserved(), core.reserved);
    }

    /**
     * Bytes held because of fragmentation: what is reserved now, less the most that was active at once since memory was
     * last returned to the driver, in granules of 2 MiB.
     */
    public long fragmentationBytes() {
        return core.reserved - idealReservedBytes();
    }

    /** Has a listener told of all events from now on, in place of any other. */
    public void setListener(AllocatorListener listener) {
        core.listener = Objects.requireNonNull(listener);
    }

    /** The settings that it was made with. */
    public AllocatorSettings settings() {
        return settings;
    }

    /** Position of the free block to use, or FreeBlocks.NONE (get_free_block). */
    private int find(BlockPool pool, FreeBlocks blocks, long size, boolean expanding) {
        if (core.collects) {
            pool.searches++;
        }
        int at = blocks.atLeast(size);
        if (at == FreeBlocks.NONE) {
            return at;
        }
        if (table.isExpandable(blocks.block(at))) {
            at = expanding ? leastExpandable(blocks, at) : firstFixed(blocks, at);
            if (at == FreeBlocks.NONE) {
                return at;
            }
        }
        long found = table.size(blocks.block(at));
        if (size < maxSplitSize ? found >= maxSplitSize : found - size >= settings.maxNonSplitRounding()) {
            return FreeBlocks.NONE;
        }
        return at;
    }

    /** A block at the growing end counts with what it can grow by, so that others are preferred. */
    private int leastExpandable(FreeBlocks blocks, int from) {
        int at = from;
        int next = blocks.after(at);
        while (table.isExpandable(blocks.block(at))
                && next != FreeBlocks.NONE
                && expandableSize(blocks.block(next)) < expandableSize(blocks.block(at))) {
            at = next;
            next = blocks.after(at);
        }
        return at;
    }

    private long expandableSize(int block) {
        int next = table.next(block);
        return table.size(block) + (next != NIL && !table.isMapped(next) ? table.size(next) : 0);
    }

    private int firstFixed(FreeBlocks blocks, int from) {
        int at = blocks.after(from);
        while (at != FreeBlocks.NONE && table.isExpandable(blocks.block(at))) {
            at = blocks.after(at);
        }
        return at;
    }

    /** No free block fits: the steps of DeviceCachingAllocator::malloc in their order. */
    private int allocateSegment(BlockPool pool, int stream, long size, long requestedBytes) {
        long segment = settings.segmentSize(size);
        if (core.collects) {
            release.collectGarbage();
        }
        rejected = false;
        int block = fromDriver(pool, stream, size, segment);
        if (block == NIL && !rejected) {
            block = afterRelease(pool, stream, size, segment);
        }
        if (block == NIL && rejected) {
            throw outOfMemory(
                    "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
                            + " per_process_memory_fraction limit. Requested size: "
                            + OutOfMemoryException.formatSize(requestedBytes),
                    requestedBytes,
                    segment);
        }
        if (block == NIL) {
            core.emit(Action.OOM, core.memory.free(), size, stream, pool);
            stats.ooms++;
            throw outOfMemory(message(segment), requestedBytes, segment);
        }
        return block;
    }

    private int afterRelease(BlockPool pool, int stream, long size, long segment) {
        int block = pool.owner.isDefault() ? fromLendingPools(stream, size) : NIL;
        if (block == NIL && release.releaseOversize(pool, stream, size)) {
            block = fromDriver(pool, stream, size, segment);
        }
        if (block == NIL && !capturing) {
            releaseCached();
            stats.allocRetries++;
            block = fromDriver(pool, stream, size, segment);
        }
        return block;
    }

    private int fromDriver(BlockPool pool, int stream, long size, long segment) {
        if (segment > core.allowed - core.reserved) {
            return NIL;
        }
        if (settings.rejectsEarly() && exceedsFraction(segment)) {
            stats.oomRejections++;
            rejected = true;
            return NIL;
        }
        if (!expands) {
            return core.takeSegment(pool, stream, segment);
        }
        int block = expandable.allocate(pool, stream, size);
        if (block != NIL) {
            pool.owner.segments++;
        }
        return block;
    }

    private boolean exceedsFraction(long segment) {
        return core.reserved + segment > (long) (settings.memoryFraction() * core.memory.total());
    }

    private int fromLendingPools(int stream, long size) {
        for (PoolOwner lender : pools.usableOnOutOfMemory()) {
            BlockPool pool = lender.pool(size);
            FreeBlocks blocks = pool.free(stream);
            int at = find(pool, blocks, size, false);
            if (at != FreeBlocks.NONE) {
                int block = blocks.block(at);
                blocks.removeAt(at);
                return block;
            }
        }
        return NIL;
    }

    private void releaseCached() {
        if (!capturing) {
            stats.syncAllStreams++;
            events.synchronize();
            release.releaseAll(core.everybody.large);
            release.releaseAll(core.everybody.small);
        }
        pools.releaseUnused();
    }

    private boolean shouldSplit(int block, long size, boolean expanding) {
        BlockPool pool = table.pool(block);
        long rest = table.size(block) - size;
        if (rest == 0 || !pool.owner.splits) {
            return false;
        }
        if (pool.small || expanding) {
            return rest >= AllocatorSettings.BLOCK;
        }
        return size < maxSplitSize && rest > AllocatorSettings.SMALL_REQUEST;
    }

    /** Cuts the front off a block; the caller puts the rest, which follows it, among the free ones. */
    private int split(int rest, long size) {
        BlockTable t = table;
        BlockPool pool = t.pool(rest);
        boolean wasSplit = t.isSplit(rest);
        int block = t.create(pool, t.stream(rest), t.address(rest), size);
        t.inherit(block, rest);
        t.splice(block, t.previous(rest), rest);
        t.setAddress(rest, t.address(rest) + size);
        t.setSize(rest, t.size(rest) - size);
        if (!t.isExpandable(rest)) {
            if (wasSplit) {
                stats.inactiveSplitBytes.decrease(pool.small, size);
            } else {
                stats.inactiveSplitBytes.increase(pool.small, t.size(rest));
                stats.inactiveSplit.increase(pool.small, 1);
            }
        }
        return block;
    }

    private void use(int block, long requestedBytes) {
        table.allocate(block, requestedBytes);
        BlockPool pool = table.pool(block);
        boolean small = pool.small;
        long size = table.size(block);
        core.emit(Action.ALLOC, table.address(block), requestedBytes, table.stream(block), pool);
        stats.handedOut(small, size, requestedBytes);
        core.ideal.active(stats.activeBytesNow());
        if (size >= maxSplitSize) {
            stats.oversizeAllocations.increase(1);
        }
    }

    /** A cudaMalloc of its own. PyTorch counts nothing in this mode; here each request counts as a segment. */
    private int allocateUncached(long bytes, int stream) {
        int block = core.takeSegment(core.everybody.pool(bytes), stream, bytes);
        if (block == NIL) {
            throw outOfMemory("CUDA error: out of memory (caching is off)", bytes, bytes);
        }
        use(block, bytes);
        return block;
    }

    private void freeUncached(int block) {
        BlockPool pool = table.pool(block);
        table.deallocate(block);
        core.emit(Action.FREE_REQUESTED, table.address(block), table.requested(block), table.stream(block), pool);
        stats.givenBack(pool.small, table.size(block));
        core.freeBlock(block);
        core.releaseSegment(block);
    }

    private String message(long segment) {
        long allocated = stats.allocatedBytes().current();
        return "CUDA out of memory. Tried to allocate " + OutOfMemoryException.formatSize(segment)
                + ". GPU 0 has a total capacity of " + OutOfMemoryException.formatSize(core.memory.total())
                + " of which " + OutOfMemoryException.formatSize(core.memory.free()) + " is free. "
                + (core.allowed == Long.MAX_VALUE ? "" : OutOfMemoryException.formatSize(core.allowed) + " allowed; ")
                + "Of the allocated memory " + OutOfMemoryException.formatSize(allocated)
                + " is allocated by PyTorch, and "
                + OutOfMemoryException.formatSize(core.reserved - allocated)
                + " is reserved by PyTorch but unallocated.";
    }

    private OutOfMemoryException outOfMemory(String message, long requestedBytes, long segment) {
        return new OutOfMemoryException(
                message,
                requestedBytes,
                segment,
                core.reserved,
                stats.allocatedBytes().current(),
                core.memory.free());
    }

    private void checkInUse(int block) {
        if (!table.exists(block) || !table.isAllocated(block)) {
            throw new IllegalArgumentException("block " + block + " is not in use: it was freed or never allocated");
        }
    }

    private static void checkStream(int stream) {
        if (stream < 0 || stream >= MAX_STREAMS) {
            throw new IllegalArgumentException("stream " + stream + ": streams are 0 to " + (MAX_STREAMS - 1));
        }
    }

    private static void checkPool(int pool) {
        if (pool <= DEFAULT_POOL) {
            throw new IllegalArgumentException("private pool " + pool + ": ids are greater than 0");
        }
    }

    private static IllegalArgumentException rejected(long bytes, int stream) {
        return new IllegalArgumentException("allocation of " + bytes + " bytes on stream " + stream
                + ": sizes are greater than 0, streams 0 to " + (MAX_STREAMS - 1));
    }
}
