package dev.headroom.allocator;

import org.jspecify.annotations.Nullable;

/**
 * Chooses among free blocks the smallest that serves a request, and cuts off what the request does not need: c10's
 * get_free_block, should_split and the splitting of alloc_found_block.
 */
final class BestFit {
    private final AllocatorCore core;
    private final long maxSplitSize;
    private final long maxNonSplitRounding;

    BestFit(AllocatorCore core) {
        this.core = core;
        this.maxSplitSize = core.settings.maxSplitSize();
        this.maxNonSplitRounding = core.settings.maxNonSplitRounding();
    }

    /**
     * The free block to use, which stays among the free ones, or none.
     *
     * @param pool that the request goes to
     * @param blocks its free blocks on the request's stream
     * @param size bytes of the request after rounding
     * @param expanding whether blocks of expandable segments may be used
     */
    @Nullable
    Block find(BlockPool pool, FreeBlocks blocks, long size, boolean expanding) {
        if (core.collects) {
            pool.searches++;
        }
        return choose(blocks, size, expanding);
    }

    /** As {@link #find}, without counting as a search. */
    @Nullable
    Block choose(FreeBlocks blocks, long size, boolean expanding) {
        Block block = blocks.atLeast(size);
        if (block != null && block.isExpandable()) {
            block = expanding ? leastExpandable(blocks, block) : firstFixed(blocks, block);
        }
        if (block == null
                || (size < maxSplitSize ? block.size >= maxSplitSize : block.size - size >= maxNonSplitRounding)) {
            return null;
        }
        return block;
    }

    /** Whether a block that was found is cut to the request's size. */
    boolean shouldSplit(Block block, long size, boolean expanding) {
        BlockPool pool = block.pool();
        long rest = block.size - size;
        if (rest == 0 || !pool.owner.splits) {
            return false;
        }
        if (pool.small || expanding) {
            return rest >= AllocatorSettings.BLOCK;
        }
        return size < maxSplitSize && rest > AllocatorSettings.SMALL_REQUEST;
    }

    /** Cuts the front off a block; the caller puts the rest, which follows it, among the free ones. */
    Block split(Block rest, long size) {
        boolean wasSplit = rest.isSplit();
        Block block = core.table.cutFront(rest, size);
        if (!rest.isExpandable()) {
            PoolSums pool = rest.pool().sums;
            if (wasSplit) {
                core.stats.splitBytesTaken(pool, size);
            } else {
                core.stats.splitChanged(pool, 1, rest.size);
            }
        }
        return block;
    }

    /**
     * The block whose size, with the unmapped memory behind it, is least. This spares the block at the end of a
     * segment, which could grow.
     */
    private static Block leastExpandable(FreeBlocks blocks, Block from) {
        Block block = from;
        Block next = blocks.after(block);
        while (block.isExpandable() && next != null && expandableSize(next) < expandableSize(block)) {
            block = next;
            next = blocks.after(block);
        }
        return block;
    }

    private static long expandableSize(Block block) {
        Block next = block.next;
        return block.size + (next != null && !next.isMapped() ? next.size : 0);
    }

    private static @Nullable Block firstFixed(FreeBlocks blocks, Block from) {
        Block block = blocks.after(from);
        while (block != null && block.isExpandable()) {
            block = blocks.after(block);
        }
        return block;
    }
}
