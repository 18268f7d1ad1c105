package dev.headroom.allocator;

/**
 * Chooses among free blocks the smallest that serves a request, and cuts off what the request does not need: c10's
 * get_free_block, should_split and the splitting of alloc_found_block.
 */
final class BestFit {
    private static final int NIL = BlockTable.NIL;

    private final AllocatorCore core;
    private final BlockTable table;
    private final long maxSplitSize;
    private final long maxNonSplitRounding;

    BestFit(AllocatorCore core) {
        this.core = core;
        this.table = core.table;
        this.maxSplitSize = core.settings.maxSplitSize();
        this.maxNonSplitRounding = core.settings.maxNonSplitRounding();
    }

    /**
     * The free block to use, which stays among the free ones, or {@link BlockTable#NIL}.
     *
     * @param pool that the request goes to
     * @param blocks its free blocks on the request's stream
     * @param size bytes of the request after rounding
     * @param expanding whether blocks of expandable segments may be used
     */
    int find(BlockPool pool, FreeBlocks blocks, long size, boolean expanding) {
        if (core.collects) {
            pool.searches++;
        }
        return choose(blocks, size, expanding);
    }

    /** As {@link #find}, without counting as a search. */
    int choose(FreeBlocks blocks, long size, boolean expanding) {
        int block = blocks.atLeast(size);
        if (block == NIL) {
            return NIL;
        }
        if (table.isExpandable(block)) {
            block = expanding ? leastExpandable(blocks, block) : firstFixed(blocks, block);
            if (block == NIL) {
                return NIL;
            }
        }
        long found = table.size(block);
        if (size < maxSplitSize ? found >= maxSplitSize : found - size >= maxNonSplitRounding) {
            return NIL;
        }
        return block;
    }

    /** Whether a block that was found is cut to the request's size. */
    boolean shouldSplit(int block, long size, boolean expanding) {
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
    int split(int rest, long size) {
        boolean wasSplit = table.isSplit(rest);
        int block = table.cutFront(rest, size);
        if (!table.isExpandable(rest)) {
            int pool = table.pool(rest).sums;
            if (wasSplit) {
                core.stats.inactiveSplitTaken(pool, 0, size);
            } else {
                core.stats.inactiveSplit(pool, 1, table.size(rest));
            }
        }
        return block;
    }

    /**
     * The block whose size, with the unmapped memory behind it, is least. This spares the block at the end of a
     * segment, which could grow.
     */
    private int leastExpandable(FreeBlocks blocks, int from) {
        int block = from;
        int next = blocks.after(block);
        while (table.isExpandable(block) && next != NIL && expandableSize(next) < expandableSize(block)) {
            block = next;
            next = blocks.after(block);
        }
        return block;
    }

    private long expandableSize(int block) {
        int next = table.next(block);
        return table.size(block) + (next != NIL && !table.isMapped(next) ? table.size(next) : 0);
    }

    private int firstFixed(FreeBlocks blocks, int from) {
        int block = blocks.after(from);
        while (block != NIL && table.isExpandable(block)) {
            block = blocks.after(block);
        }
        return block;
    }
}
