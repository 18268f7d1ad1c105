package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cached blocks for small or for large requests, of the default memory or of a private pool: c10's BlockPool. */
final class BlockPool {
    final boolean small;
    final PoolOwner owner;
    /** What its blocks count in, with those of other owners' pools. */
    final PoolSums sums;
    /**
     * How often a free block was searched for, counted only while garbage collection is on. A block's age is the number
     * of searches since it became free.
     */
    long searches;

    private final BlockTable table;
    private @Nullable FreeBlocks[] byStream;
    /** Those that were asked for last. */
    private FreeBlocks latest;

    private final Int2ObjectOpenHashMap<List<Block>> unmappedByStream = new Int2ObjectOpenHashMap<>();

    BlockPool(BlockTable table, boolean small, PoolOwner owner, PoolSums sums) {
        this.table = table;
        this.small = small;
        this.owner = owner;
        this.sums = sums;
        this.latest = new FreeBlocks(table, this, 0);
        this.byStream = new FreeBlocks[] {latest};
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
        if (latest.stream != stream) {
            FreeBlocks blocks = stream < byStream.length ? byStream[stream] : null;
            latest = blocks == null ? open(stream) : blocks;
        }
        return latest;
    }

    /** Blocks of expandable segments without memory behind them, by address. */
    List<Block> unmapped(int stream) {
        return unmappedByStream.computeIfAbsent(stream, s -> new ArrayList<>());
    }

    void insertUnmapped(Block block) {
        List<Block> blocks = unmapped(block.stream());
        int at = 0;
        while (at < blocks.size() && blocks.get(at).address < block.address) {
            at++;
        }
        blocks.add(at, block);
    }

    void removeUnmapped(Block block) {
        unmapped(block.stream()).remove(block);
    }

    /** All free blocks with memory behind them, by stream and then in search order. */
    List<Block> freeBlocks() {
        List<Block> all = new ArrayList<>();
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
