package dev.headroom.allocator;

import dev.headroom.allocator.AllocatorListener.Action;
import org.jspecify.annotations.Nullable;

/**
 * Serves the requests that no free block fits: asks the driver, and where that refuses, returns cached memory and asks
 * again. These are the steps of DeviceCachingAllocator::malloc after get_free_block, in their order.
 */
final class SegmentRequests {
    private final AllocatorCore core;
    private final BestFit fit;
    private final ExpandableSegments expandable;
    private final CacheRelease release;
    private final StreamEvents events;
    private final PrivatePools pools;
    /** The request in hand was refused by throw_on_cudamalloc_oom. */
    private boolean rejected;

    SegmentRequests(
            AllocatorCore core,
            BestFit fit,
            ExpandableSegments expandable,
            CacheRelease release,
            StreamEvents events,
            PrivatePools pools) {
        this.core = core;
        this.fit = fit;
        this.expandable = expandable;
        this.release = release;
        this.events = events;
        this.pools = pools;
    }

    /**
     * A block of at least the size, not among the free ones.
     *
     * @throws OutOfMemoryException when there is no memory for it
     */
    Block allocate(BlockPool pool, int stream, long size, long requestedBytes) {
        long segment = core.settings.segmentSize(size);
        if (core.collects) {
            release.collectGarbage();
        }
        rejected = false;
        Block block = fromDriver(pool, stream, size, segment);
        if (block == null && !rejected) {
            block = afterRelease(pool, stream, size, segment);
        }
        if (block == null && rejected) {
            throw core.outOfMemory(
                    "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
                            + " per_process_memory_fraction limit. Requested size: "
                            + OutOfMemoryException.formatSize(requestedBytes),
                    requestedBytes,
                    segment);
        }
        if (block == null) {
            core.emit(Action.OOM, core.memory.free(), size, stream, pool);
            core.stats.ooms++;
            throw core.outOfMemory(null, requestedBytes, segment);
        }
        return block;
    }

    /** Returns all cached memory that can be returned (release_cached_blocks). */
    void releaseCached() {
        if (!core.capturing) {
            core.stats.syncAllStreams++;
            events.synchronize();
            release.releaseAll(core.everybody.large);
            release.releaseAll(core.everybody.small);
        }
        pools.releaseUnused();
    }

    private @Nullable Block afterRelease(BlockPool pool, int stream, long size, long segment) {
        Block block = pool.owner.isDefault() ? fromLendingPools(stream, size) : null;
        if (block == null && release.releaseOversize(pool, stream, size)) {
            block = fromDriver(pool, stream, size, segment);
        }
        if (block == null && !core.capturing) {
            releaseCached();
            core.stats.allocRetries++;
            block = fromDriver(pool, stream, size, segment);
        }
        return block;
    }

    private @Nullable Block fromDriver(BlockPool pool, int stream, long size, long segment) {
        if (segment > core.allowed - core.reserved) {
            return null;
        }
        if (core.settings.rejectsEarly() && exceedsFraction(segment)) {
            core.stats.oomRejections++;
            rejected = true;
            return null;
        }
        if (!core.settings.expandableSegments()) {
            return core.takeSegment(pool, stream, segment);
        }
        Block block = expandable.allocate(pool, stream, size);
        if (block != null) {
            pool.owner.segments++;
        }
        return block;
    }

    private boolean exceedsFraction(long segment) {
        return core.reserved + segment > (long) (core.settings.memoryFraction() * core.memory.total());
    }

    /** A free block of a private pool that lends its blocks to requests that would fail otherwise. */
    private @Nullable Block fromLendingPools(int stream, long size) {
        for (PoolOwner lender : pools.usableOnOutOfMemory()) {
            BlockPool pool = lender.pool(size);
            FreeBlocks blocks = pool.free(stream);
            Block block = fit.find(pool, blocks, size, false);
            if (block != null) {
                blocks.remove(block);
                return block;
            }
        }
        return null;
    }
}
