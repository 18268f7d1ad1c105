package dev.headroom.allocator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** All blocks of an allocator by their handles. Handles of blocks that ended are used again, with their objects. */
final class BlockTable {
    private @Nullable Block[] blocks = new Block[256];
    private int used;
    /** Blocks that ended. */
    private @Nullable Block[] spare = new Block[256];

    private int spares;

    /** Takes over the handles and blocks of another table, none of them expandable; all are the owner's. */
    void copyFrom(BlockTable other, PoolOwner owner) {
        if (other.used > blocks.length) {
            blocks = Arrays.copyOf(blocks, other.blocks.length);
        }
        FreeBlocks from = null;
        FreeBlocks to = owner.small.free(0);
        for (used = 0; used < other.used; used++) {
            Block theirs = other.get(used);
            if (theirs.list != from) {
                from = theirs.list;
                to = (from.pool.small ? owner.small : owner.large).free(from.stream);
            }
            Block mine = blocks[used];
            if (mine == null) {
                mine = new Block(used, to);
                blocks[used] = mine;
            }
            mine.list = to;
        }
        Arrays.fill(blocks, used, blocks.length, null);
        for (int handle = 0; handle < used; handle++) {
            get(handle).copyFrom(other.get(handle), this);
        }
        spares = other.spares;
        if (spares > spare.length) {
            spare = new Block[other.spare.length];
        }
        for (int i = 0; i < spares; i++) {
            spare[i] = get(other.spare[i].handle);
        }
    }

    /** Makes a block with memory behind it, without neighbours, that nobody uses. */
    Block create(FreeBlocks list, long address, long size) {
        Block block = take(list);
        block.begin(address, size, null, null);
        return block;
    }

    /** Makes a block of the front of another, which begins behind it from then on. */
    Block cutFront(Block rest, long size) {
        Block front = take(rest.list);
        Block previous = rest.previous;
        front.begin(rest.address, size, previous, rest);
        front.inherit(rest);
        if (previous != null) {
            previous.next = front;
        }
        rest.previous = front;
        rest.address += size;
        rest.size -= size;
        return front;
    }

    /** Makes a block longer by the one before or behind it, which ends. */
    void absorb(Block block, Block neighbour) {
        if (block.previous == neighbour) {
            Block previous = neighbour.previous;
            block.address = neighbour.address;
            block.previous = previous;
            if (previous != null) {
                previous.next = block;
            }
        } else {
            Block next = neighbour.next;
            block.next = next;
            if (next != null) {
                next.previous = block;
            }
        }
        block.size += neighbour.size;
        delete(neighbour);
    }

    /** Ends a block that is not in use; its handle may be given to another block later. */
    void delete(Block block) {
        block.size = 0;
        if (block.segment != null) {
            block.segment = null;
        }
        if (spares == spare.length) {
            spare = Arrays.copyOf(spare, 2 * spares);
        }
        spare[spares++] = block;
    }

    /** All handles in use are smaller than this. */
    int bound() {
        return used;
    }

    /** The block of a handle that was given out some time. */
    Block get(int handle) {
        return blocks[handle];
    }

    /** The block of a number that may be no handle. */
    @Nullable
    Block find(int handle) {
        Block[] all = blocks;
        return handle >= 0 && handle < all.length ? all[handle] : null;
    }

    /** A block of a list; one that ended was mostly of the same list. */
    private Block take(FreeBlocks list) {
        if (spares == 0) {
            return fresh(list);
        }
        Block block = spare[--spares];
        if (block.list != list) {
            block.list = list;
        }
        return block;
    }

    private Block fresh(FreeBlocks list) {
        if (used == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * used);
        }
        Block block = new Block(used, list);
        blocks[used++] = block;
        return block;
    }
}
