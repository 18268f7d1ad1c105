package dev.headroom.allocator;

import java.util.Iterator;
import java.util.List;

/** The ways in which cached blocks go back to the driver. */
final class CacheRelease {
    private final AllocatorCore core;
    private final ExpandableSegments expandable;

    CacheRelease(AllocatorCore core, ExpandableSegments expandable) {
        this.core = core;
        this.expandable = expandable;
    }

    /**
     * Garbage collection (garbage_collect_cached_blocks). While more than the threshold is reserved, it looks at the
     * free large blocks that are whole segments, and returns those that are at least as old as their average.
     */
    void collectGarbage() {
        long threshold = (long) (core.settings.garbageCollectionThreshold() * core.allowed);
        if (core.reserved <= threshold) {
            return;
        }
        long target = core.reserved - threshold;
        List<Block> unsplit = core.everybody.large.freeBlocks();
        unsplit.removeIf(Block::isSplit);
        long ages = 0;
        for (Iterator<Block> it = unsplit.iterator(); it.hasNext(); ) {
            ages += age(it.next());
        }
        long reclaimed = 0;
        int candidates = unsplit.size();
        boolean freed = true;
        while (reclaimed < target && freed && candidates > 0) {
            double average = (double) ages / candidates;
            freed = false;
            for (Iterator<Block> it = unsplit.iterator(); it.hasNext(); ) {
                Block block = it.next();
                if (!block.isExpandable() && age(block) >= average) {
                    freed = true;
                    reclaimed += block.size;
                    ages -= age(block);
                    candidates--;
                    core.releaseSegment(block);
                    it.remove();
                }
            }
        }
    }

    /**
     * Returns oversize blocks of the request's stream, only as many as it needs (release_available_cached_blocks).
     *
     * @return false when that cannot be enough
     */
    boolean releaseOversize(BlockPool pool, int stream, long bytes) {
        long limit = core.settings.maxSplitSize();
        if (limit == Long.MAX_VALUE) {
            return false;
        }
        long wanted = Math.max(bytes, limit);
        FreeBlocks blocks = pool.free(stream);
        Block block = blocks.atLeast(wanted);
        if (block != null && !block.isExpandable()) {
            core.releaseSegment(block);
            return true;
        }
        long released = 0;
        block = block == null ? blocks.last() : blocks.before(block);
        while (block != null && released < wanted && block.size >= limit) {
            Block below = blocks.before(block);
            if (!block.isExpandable()) {
                released += block.size;
                core.releaseSegment(block);
            }
            block = below;
        }
        return released >= wanted;
    }

    /** Returns all whole segments of a pool, and all whole granules of expandable ones (release_blocks). */
    void releaseAll(BlockPool pool) {
        List<Block> blocks = pool.freeBlocks();
        for (Iterator<Block> it = blocks.iterator(); it.hasNext(); ) {
            Block block = it.next();
            if (!block.isExpandable()) {
                if (!block.isSplit()) {
                    core.releaseSegment(block);
                }
                it.remove();
            }
        }
        blocks.forEach(expandable::release);
    }

    /** Searches that the block has waited for. */
    private static long age(Block block) {
        return block.pool().searches - block.cachedAt;
    }
}
