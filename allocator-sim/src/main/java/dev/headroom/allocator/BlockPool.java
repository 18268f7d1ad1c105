package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import java.util.Arrays;

/** The cached blocks for small or for large requests, of the default memory or of a private pool: c10's BlockPool. */
final class BlockPool {
    final boolean small;
    final PoolOwner owner;
    /**
     * How often a free block was searched for, counted only while garbage collection is on. A block's age is the number
     * of searches since it became free.
     */
    long searches;

    private final BlockTable table;
    private FreeBlocks[] byStream = new FreeBlocks[1];
    private IntArrayList[] unmappedByStream = new IntArrayList[1];

    BlockPool(BlockTable table, boolean small, PoolOwner owner) {
        this.table = table;
        this.small = small;
        this.owner = owner;
        byStream[0] = new FreeBlocks(table);
        unmappedByStream[0] = new IntArrayList();
    }

    /** Free blocks of a stream. */
    FreeBlocks free(int stream) {
        return stream < byStream.length ? byStream[stream] : growTo(stream);
    }

    /** Blocks of expandable segments without memory behind them, by address. */
    IntArrayList unmapped(int stream) {
        free(stream);
        return unmappedByStream[stream];
    }

    void insert(int block) {
        table.setCachedAt(block, searches);
        free(table.stream(block)).insert(block);
    }

    void remove(int block) {
        free(table.stream(block)).remove(block);
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
            blocks.copyTo(all);
        }
        return all;
    }

    private FreeBlocks growTo(int stream) {
        int from = byStream.length;
        byStream = Arrays.copyOf(byStream, stream + 1);
        unmappedByStream = Arrays.copyOf(unmappedByStream, stream + 1);
        for (int i = from; i <= stream; i++) {
            byStream[i] = new FreeBlocks(table);
            unmappedByStream[i] = new IntArrayList();
        }
        return byStream[stream];
    }
}
