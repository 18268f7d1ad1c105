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

    private static final long EXABYTE = 1L << 60;

    private final AllocatorSettings settings;
    private final AllocatorCore core;
    private final BlockTable table;
    private final AllocatorStatistics stats;
    private final BestFit fit;
    private final StreamEvents events;
    private final PrivatePools pools;
    private final SegmentRequests requests;
    private final long maxSplitSize;
    private final boolean expands;
    private final boolean caches;

    /**
     * @param settings options, limit and version
     * @param memory the device's memory
     */
    public CachingAllocator(AllocatorSettings settings, DeviceMemory memory) {
        this.settings = Objects.requireNonNull(settings);
        core = new AllocatorCore(settings, Objects.requireNonNull(memory));
        table = core.table;
        stats = core.stats;
        fit = new BestFit(core);
        events = new StreamEvents(table, core::freeBlock);
        ExpandableSegments expandable = new ExpandableSegments(core);
        CacheRelease release = new CacheRelease(core, expandable);
        pools = new PrivatePools(core, release);
        requests = new SegmentRequests(core, fit, expandable, release, events, pools);
        maxSplitSize = settings.maxSplitSize();
        expands = settings.expandableSegments();
        caches = settings.caching();
    }

    /**
     * Takes over the state of another allocator, and goes its own way from there: the same handles, addresses and
     * counters. Its memory must have taken over that of the other, too ({@link SimulatedDeviceMemory#copyFrom}).
     *
     * @param other of the same settings
     * @throws IllegalStateException where either has expandable segments, private pools, or blocks that streams share
     */
    public void copyFrom(CachingAllocator other) {
        if (!settings.equals(other.settings)) {
            throw new IllegalArgumentException("copy of an allocator with other settings: " + other.settings);
        }
        if (expands || !isPlain() || !other.isPlain()) {
            throw new IllegalStateException("this state of an allocator cannot be copied: it has expandable segments,"
                    + " private pools, or blocks that several streams use");
        }
        core.copyFrom(other.core);
    }

    private boolean isPlain() {
        return pools.isEmpty() && events.isEmpty() && !core.capturing;
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
            throw Arguments.rejected(requestedBytes, stream);
        }
        if (requestedBytes >= EXABYTE) {
            throw core.outOfMemory(
                    "CUDA out of memory. Tried to allocate more than 1EB memory.", requestedBytes, requestedBytes);
        }
        if (!caches) {
            return core.allocateUncached(requestedBytes, stream).handle;
        }
        if (!events.idle() && !core.capturing) {
            events.process();
        }
        long size = settings.roundSize(requestedBytes);
        BlockPool pool = pools.of(stream).pool(size);
        FreeBlocks blocks = pool.free(stream);
        Block block = fit.find(pool, blocks, size, expands);
        boolean expanding = expands;
        if (block != null) {
            blocks.remove(block);
        } else {
            block = requests.allocate(pool, stream, size, requestedBytes);
            // A block lent by another pool is treated as if segments did not expand (try_mempool_fallback).
            expanding = expands && block.pool() == pool;
        }
        if (fit.shouldSplit(block, size, expanding)) {
            Block front = fit.split(block, size);
            core.cache(block);
            core.use(front, requestedBytes);
            return front.handle;
        }
        if (block.isSplit() && !block.isExpandable()) {
            PoolSums sums = block.pool().sums;
            stats.splitTaken(sums, 1);
            stats.splitBytesTaken(sums, block.size);
        }
        core.use(block, requestedBytes);
        return block.handle;
    }

    /**
     * Bytes of the segment that a request would ask the driver for now; 0 when a free block serves it. Changes nothing.
     *
     * @param requestedBytes more than zero
     * @param stream whose work uses the memory
     */
    public long segmentFor(long requestedBytes, int stream) {
        long size = settings.roundSize(requestedBytes);
        BlockPool pool = pools.of(stream).pool(size);
        return fit.choose(pool.free(stream), size, expands) == null ? settings.segmentSize(size) : 0;
    }

    /**
     * Takes a block back. Its memory serves new requests on its stream at once, or when the other streams that recorded
     * a use have come that far.
     *
     * @throws IllegalArgumentException when the handle is not a block in use
     */
    public void free(int handle) {
        Block block = inUse(handle);
        if (!caches) {
            core.freeUncached(block);
            return;
        }
        block.deallocate();
        BlockPool pool = block.pool();
        stats.givenBack(pool.sums, block.size);
        core.emit(Action.FREE_REQUESTED, block.address, block.requested, block.stream(), pool);
        if (block.size >= maxSplitSize) {
            stats.oversizeAllocations.decrease(pool.small, 1);
        }
        if (!block.isUsedElsewhere()) {
            core.freeBlock(block);
        } else if (core.capturing) {
            events.defer(block);
        } else {
            events.insert(block);
        }
    }

    /** How often it did more than to hand memory out and to take it back: where never, another one can do the same. */
    public long interventions() {
        return core.interventions + events.requests();
    }

    /** Notes that work on another stream uses a block ({@code Tensor.record_stream}); its own stream does not count. */
    public void recordStream(int handle, int stream) {
        Block block = inUse(handle);
        Arguments.checkStream(stream);
        if (caches && stream != block.stream()) {
            events.record(block, stream, core.capturing);
        }
    }

    /**
     * Marks a stream as busy: the uses recorded on it are not over until {@link #streamIdle}, or until the allocator
     * waits for all streams. Without this, work on streams is over as soon as it is asked for.
     */
    public void streamBusy(int stream) {
        Arguments.checkStream(stream);
        events.hold(stream);
    }

    /** Ends {@link #streamBusy}; blocks become free at the next allocation, as PyTorch looks at events only then. */
    public void streamIdle(int stream) {
        Arguments.checkStream(stream);
        events.release(stream);
    }

    /**
     * From now on the device lags behind the host: uses on other streams are over only as far as {@link #reached} says,
     * or when the allocator itself waits for all streams.
     */
    public void deviceLags() {
        events.lag();
    }

    /** Records an event on the device, in one order with blocks' own: its number, greater than all before it. */
    public long mark() {
        return events.mark();
    }

    /**
     * The host has waited for an event of {@link #mark}: it is over, and so are all before it. Blocks become free at
     * the next allocation. Means nothing before {@link #deviceLags}.
     */
    public void reached(long mark) {
        events.reach(mark);
    }

    /** Whether an event of {@link #mark} is over: {@code torch.cuda.Event.query}. */
    public boolean isOver(long mark) {
        return events.isOver(mark);
    }

    /** Returns all cached memory that can be returned ({@code torch.cuda.empty_cache}). */
    public void emptyCache() {
        core.interventions++;
        requests.releaseCached();
    }

    /** Starts to send the requests of some streams to a private pool, which is made when there is none of this id. */
    public void beginAllocateToPool(int pool, IntPredicate streams) {
        Arguments.checkPool(pool);
        pools.begin(pool, Objects.requireNonNull(streams));
    }

    /** Ends what {@link #beginAllocateToPool} began; the pool and its memory stay. */
    public void endAllocateToPool(int pool) {
        pools.end(pool);
    }

    /** Makes a private pool, or notes one more user of it ({@code torch.cuda.MemPool}). */
    public void createPool(int pool) {
        Arguments.checkPool(pool);
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
        core.capturing = true;
    }

    /** Ends {@link #beginCapture}. */
    public void endCapture() {
        core.capturing = false;
    }

    /** Bytes of a block in use. */
    public long size(int handle) {
        return inUse(handle).size;
    }

    /** Bytes that were asked for. */
    public long requested(int handle) {
        return inUse(handle).requested;
    }

    /** First byte of a block in use. */
    public long address(int handle) {
        return inUse(handle).address;
    }

    /** The counters, seen live: the same object at every call. */
    public AllocatorStatistics statistics() {
        return stats;
    }

    /** Sets all peaks to the current values ({@code torch.cuda.reset_peak_memory_stats}). */
    public void resetPeakStatistics() {
        core.interventions++;
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
        return Math.min(stats.idealReserved(), core.reserved);
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

    private Block inUse(int handle) {
        Block block = table.find(handle);
        if (block == null || !block.isAllocated()) {
            throw new IllegalArgumentException("block " + handle + " is not in use: it was freed or never allocated");
        }
        return block;
    }
}
