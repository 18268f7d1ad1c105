package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.IntIterator;
import it.unimi.dsi.fastutil.ints.IntList;

/** The ways in which cached blocks go back to the driver. */
final class CacheRelease {
    private final AllocatorCore core;
    private final BlockTable table;
    private final ExpandableSegments expandable;

    CacheRelease(AllocatorCore core, ExpandableSegments expandable) {
        this.core = core;
        this.table = core.table;
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
        IntList unsplit = core.everybody.large.freeBlocks();
        unsplit.removeIf(table::isSplit);
        long ages = 0;
        for (IntIterator it = unsplit.iterator(); it.hasNext(); ) {
            ages += age(it.nextInt());
        }
        long reclaimed = 0;
        int candidates = unsplit.size();
        boolean freed = true;
        while (reclaimed < target && freed && candidates > 0) {
            double average = (double) ages / candidates;
            freed = false;
            for (IntIterator it = unsplit.iterator(); it.hasNext(); ) {
                int block = it.nextInt();
                if (!table.isExpandable(block) && age(block) >= average) {
                    freed = true;
                    reclaimed += table.size(block);
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
        int block = blocks.atLeast(wanted);
        if (block != BlockTable.NIL && !table.isExpandable(block)) {
            core.releaseSegment(block);
            return true;
        }
        long released = 0;
        block = block == BlockTable.NIL ? blocks.last() : blocks.before(block);
        while (block != BlockTable.NIL && released < wanted && table.size(block) >= limit) {
            int below = blocks.before(block);
            if (!table.isExpandable(block)) {
                released += table.size(block);
                core.releaseSegment(block);
            }
            block = below;
        }
        return released >= wanted;
    }

    /** Returns all whole segments of a pool, and all whole granules of expandable ones (release_blocks). */
    void releaseAll(BlockPool pool) {
        IntList blocks = pool.freeBlocks();
        for (IntIterator it = blocks.iterator(); it.hasNext(); ) {
            int block = it.nextInt();
            if (!table.isExpandable(block)) {
                if (!table.isSplit(block)) {
                    core.releaseSegment(block);
                }
                it.remove();
            }
        }
        blocks.forEach((java.util.function.IntConsumer) expandable::release);
    }

    /** Searches that the block has waited for. */
    private long age(int block) {
        return table.pool(block).searches - table.cachedAt(block);
    }
}
