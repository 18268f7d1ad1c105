package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The cached blocks for small or for large requests, of the default memory or of a private pool: c10's BlockPool. */
final class BlockPool {
    final boolean small;
    /** Where its sums begin in tables of statistics. */
    final int sums;

    final PoolOwner owner;
    /**
     * How often a free block was searched for, counted only while garbage collection is on. A block's age is the number
     * of searches since it became free.
     */
    long searches;

    private final BlockTable table;
    private @Nullable FreeBlocks[] byStream = new FreeBlocks[1];
    private final Int2ObjectOpenHashMap<IntArrayList> unmappedByStream = new Int2ObjectOpenHashMap<>();

    BlockPool(BlockTable table, boolean small, PoolOwner owner) {
        this.table = table;
        this.small = small;
        this.sums = small ? StatArray.SMALL : StatArray.LARGE;
        this.owner = owner;
    }

    /** Takes over the free blocks of another pool, none of whose segments expands. */
    void copyFrom(BlockPool other) {
        searches = other.searches;
        for (FreeBlocks blocks : byStream) {
            if (blocks != null) {
                blocks.clear();
            }
        }
        for (FreeBlocks blocks : other.byStream) {
            if (blocks != null) {
                free(blocks.stream).copyFrom(blocks);
            }
        }
    }

    /** Free blocks of a stream. */
    FreeBlocks free(int stream) {
        FreeBlocks blocks = stream < byStream.length ? byStream[stream] : null;
        return blocks == null ? open(stream) : blocks;
    }

    /** Blocks of expandable segments without memory behind them, by address. */
    IntArrayList unmapped(int stream) {
        return unmappedByStream.computeIfAbsent(stream, s -> new IntArrayList());
    }

    void remove(int block) {
        table.list(block).remove(block, table.size(block), table.age(block));
    }

    void insertUnmapped(int block) {
        IntArrayList blocks = unmapped(table.stream(block));
        int at = 0;
        while (at < blocks.size() && table.address(blocks.getInt(at)) < table.address(block)) {
            at++;
        }
        blocks.add(at, block);
    }

    void removeUnmapped(int block) {
        unmapped(table.stream(block)).rem(block);
    }

    /** All free blocks with memory behind them, by stream and then in search order. */
    IntList freeBlocks() {
        IntArrayList all = new IntArrayList();
        for (FreeBlocks blocks : byStream) {
            if (blocks != null) {
                blocks.copyTo(all);
            }
        }
        return all;
    }

    private FreeBlocks open(int stream) {
        if (stream >= byStream.length) {
            byStream = Arrays.copyOf(byStream, stream + 1);
        }
        FreeBlocks blocks = new FreeBlocks(table, this, stream);
        byStream[stream] = blocks;
        return blocks;
    }
}
