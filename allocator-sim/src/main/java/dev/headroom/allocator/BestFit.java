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
     * Position of the free block to use, or {@link FreeBlocks#NONE}.
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
        if (size < maxSplitSize ? found >= maxSplitSize : found - size >= maxNonSplitRounding) {
            return FreeBlocks.NONE;
        }
        return at;
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
        BlockTable t = table;
        BlockPool pool = t.pool(rest);
        boolean wasSplit = t.isSplit(rest);
        int block = t.create(pool, t.stream(rest), t.address(rest), size);
        t.inherit(block, rest);
        t.splice(block, t.previous(rest), rest);
        t.setAddress(rest, t.address(rest) + size);
        t.setSize(rest, t.size(rest) - size);
        if (!t.isExpandable(rest)) {
            AllocatorStatistics stats = core.stats;
            if (wasSplit) {
                stats.inactiveSplitBytes.decrease(pool.small, size);
            } else {
                stats.inactiveSplitBytes.increase(pool.small, t.size(rest));
                stats.inactiveSplit.increase(pool.small, 1);
            }
        }
        return block;
    }

    /**
     * The block whose size, with the unmapped memory behind it, is least. This spares the block at the end of a
     * segment, which could grow.
     */
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
}
