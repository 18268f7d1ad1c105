package dev.headroom.allocator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * All blocks of an allocator in arrays, so that steady work makes no objects. A handle is an index; handles of deleted
 * blocks are used again. Blocks of one segment are a doubly linked list in address order. The numbers of a block lie
 * side by side, as most steps look at several of them.
 */
final class BlockTable {
    static final int NIL = -1;

    private static final int SHIFT = 3;
    private static final int ADDRESS = 0;
    private static final int SIZE = 1;
    private static final int REQUESTED = 2;
    private static final int CACHED_AT = 3;
    private static final int PREVIOUS = 4;
    private static final int NEXT = 5;
    private static final int AGE = 6;
    private static final int STATE = 7;

    private static final int ALLOCATED = 1;
    private static final int UNMAPPED = 2;
    private static final int USED_ELSEWHERE = 4;
    private static final int EXPANDABLE = 8;
    private static final int EVENT = 16;
    /** What a block is, as opposed to how it is used: a free block has no other bits in its state. */
    private static final int KIND = UNMAPPED | EXPANDABLE;

    private long[] data = new long[256 << SHIFT];
    /** By block: where it lies when it is free, which tells its pool and stream. */
    private @Nullable FreeBlocks[] lists = new FreeBlocks[256];

    private @Nullable ExpandableSegments.Range[] segments = new ExpandableSegments.Range[256];
    private int[] spare = new int[256];
    private int spares;
    private int used;

    /** Takes over the handles and blocks of another table, none of them expandable; all are the owner's. */
    void copyFrom(BlockTable other, PoolOwner owner) {
        used = other.used;
        if (used > lists.length) {
            data = new long[other.data.length];
            lists = new FreeBlocks[other.lists.length];
            segments = new ExpandableSegments.Range[other.segments.length];
        }
        System.arraycopy(other.data, 0, data, 0, used << SHIFT);
        spares = other.spares;
        if (spares > spare.length) {
            spare = new int[other.spare.length];
        }
        System.arraycopy(other.spare, 0, spare, 0, spares);
        FreeBlocks from = null;
        FreeBlocks to = null;
        for (int block = 0; block < used; block++) {
            FreeBlocks list = other.lists[block];
            if (list != from || to == null) {
                from = list;
                to = (list.pool.small ? owner.small : owner.large).free(list.stream);
            }
            lists[block] = to;
        }
    }

    /** Makes a block with memory behind it, without neighbours, that nobody uses. */
    int create(FreeBlocks list, long address, long size) {
        int block = handle(list);
        long[] d = data;
        int at = block << SHIFT;
        d[at + ADDRESS] = address;
        d[at + SIZE] = size;
        d[at + REQUESTED] = 0;
        d[at + PREVIOUS] = NIL;
        d[at + NEXT] = NIL;
        d[at + AGE] = 0;
        d[at + STATE] = 0;
        return block;
    }

    /** Makes a block of the front of another, which begins behind it from then on. */
    int cutFront(int rest, long size) {
        int block = handle(lists[rest]);
        long[] d = data;
        int at = block << SHIFT;
        int from = rest << SHIFT;
        int previous = (int) d[from + PREVIOUS];
        d[at + ADDRESS] = d[from + ADDRESS];
        d[at + SIZE] = size;
        d[at + REQUESTED] = 0;
        d[at + PREVIOUS] = previous;
        d[at + NEXT] = rest;
        d[at + AGE] = d[from + AGE];
        d[at + STATE] = 0;
        if (isExpandable(rest)) {
            setSegment(block, segments[rest]);
        }
        if (previous != NIL) {
            d[(previous << SHIFT) + NEXT] = block;
        }
        d[from + ADDRESS] += size;
        d[from + SIZE] -= size;
        d[from + PREVIOUS] = block;
        return block;
    }

    /** Makes a block longer by the one before or behind it, whose handle ends. */
    void absorb(int block, int neighbour) {
        long[] d = data;
        int at = block << SHIFT;
        int other = neighbour << SHIFT;
        if (d[at + PREVIOUS] == neighbour) {
            d[at + ADDRESS] = d[other + ADDRESS];
            int previous = (int) d[other + PREVIOUS];
            d[at + PREVIOUS] = previous;
            if (previous != NIL) {
                d[(previous << SHIFT) + NEXT] = block;
            }
        } else {
            int next = (int) d[other + NEXT];
            d[at + NEXT] = next;
            if (next != NIL) {
                d[(next << SHIFT) + PREVIOUS] = block;
            }
        }
        d[at + SIZE] += d[other + SIZE];
        delete(neighbour);
    }

    /** Ends the handle of a block that is not in use; it may be given to another block later. */
    void delete(int block) {
        data[(block << SHIFT) + SIZE] = 0;
        if (isExpandable(block)) {
            segments[block] = null;
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

    boolean exists(int block) {
        return isHandle(block) && size(block) > 0;
    }

    private boolean isHandle(int block) {
        return block >= 0 && block < used;
    }

    /** Whether a number is the handle of a block that was handed out and not taken back. */
    boolean isInUse(int block) {
        return isHandle(block) && isAllocated(block);
    }

    long address(int block) {
        return data[(block << SHIFT) + ADDRESS];
    }

    void setAddress(int block, long address) {
        data[(block << SHIFT) + ADDRESS] = address;
    }

    long size(int block) {
        return data[(block << SHIFT) + SIZE];
    }

    void setSize(int block, long size) {
        data[(block << SHIFT) + SIZE] = size;
    }

    long requested(int block) {
        return data[(block << SHIFT) + REQUESTED];
    }

    /** Value of the pool's search counter when the block was last put among the free ones: PyTorch's gc_count_base. */
    long cachedAt(int block) {
        return data[(block << SHIFT) + CACHED_AT];
    }

    void setCachedAt(int block, long searches) {
        data[(block << SHIFT) + CACHED_AT] = searches;
    }

    int previous(int block) {
        return (int) data[(block << SHIFT) + PREVIOUS];
    }

    int next(int block) {
        return (int) data[(block << SHIFT) + NEXT];
    }

    int stream(int block) {
        return lists[block].stream;
    }

    /** Age of the segment as a tie-break between free blocks of one size; 0 where the profile has none. */
    int age(int block) {
        return (int) data[(block << SHIFT) + AGE];
    }

    void setAge(int block, int age) {
        data[(block << SHIFT) + AGE] = age;
    }

    BlockPool pool(int block) {
        return lists[block].pool;
    }

    /** The free blocks of the block's pool and stream, whether it is among them or not. */
    FreeBlocks list(int block) {
        return lists[block];
    }

    /** The segment of a block that {@link #isExpandable}. */
    ExpandableSegments.Range segment(int block) {
        return segments[block];
    }

    void setSegment(int block, ExpandableSegments.Range segment) {
        segments[block] = segment;
        set(block, EXPANDABLE, true);
    }

    boolean isExpandable(int block) {
        return (state(block) & EXPANDABLE) != 0;
    }

    boolean isMapped(int block) {
        return (state(block) & UNMAPPED) == 0;
    }

    void setMapped(int block, boolean mapped) {
        set(block, UNMAPPED, !mapped);
    }

    boolean isAllocated(int block) {
        return (state(block) & ALLOCATED) != 0;
    }

    void allocate(int block, long requested) {
        int at = block << SHIFT;
        data[at + REQUESTED] = requested;
        data[at + STATE] |= ALLOCATED;
    }

    void deallocate(int block) {
        data[(block << SHIFT) + STATE] &= ~ALLOCATED;
    }

    /** True when another stream recorded a use of the block; the streams are kept by {@link StreamEvents}. */
    boolean isUsedElsewhere(int block) {
        return (state(block) & USED_ELSEWHERE) != 0;
    }

    void setUsedElsewhere(int block, boolean usedElsewhere) {
        set(block, USED_ELSEWHERE, usedElsewhere);
    }

    /** Events of other streams that are still awaited. */
    int events(int block) {
        return (int) (state(block) / EVENT);
    }

    void addEvents(int block, int more) {
        data[(block << SHIFT) + STATE] += (long) more * EVENT;
    }

    /** Free for use: not handed out and not awaited on another stream. */
    boolean isFree(int block) {
        return block != NIL && (state(block) & ~KIND) == 0;
    }

    /** Whether another block is free, as this one is, and both have memory behind them or both have none. */
    boolean isLike(int block, int other) {
        return state(block) == state(other);
    }

    /** Whether the block is only a part of its segment. */
    boolean isSplit(int block) {
        return (data[(block << SHIFT) + PREVIOUS] & data[(block << SHIFT) + NEXT]) != NIL;
    }

    /** Puts a block between two neighbours, either of which may be absent. */
    void splice(int block, int before, int after) {
        long[] d = data;
        d[(block << SHIFT) + PREVIOUS] = before;
        d[(block << SHIFT) + NEXT] = after;
        if (before != NIL) {
            d[(before << SHIFT) + NEXT] = block;
        }
        if (after != NIL) {
            d[(after << SHIFT) + PREVIOUS] = block;
        }
    }

    /** Takes over the segment and its age from a block of the same segment. */
    void inherit(int block, int from) {
        setAge(block, age(from));
        if (isExpandable(from)) {
            setSegment(block, segments[from]);
        }
    }

    private long state(int block) {
        return data[(block << SHIFT) + STATE];
    }

    private void set(int block, int bit, boolean on) {
        int at = (block << SHIFT) + STATE;
        data[at] = on ? data[at] | bit : data[at] & ~bit;
    }

    /** A handle for a block of a list; one that ended is mostly given to a block of the same list. */
    private int handle(FreeBlocks list) {
        int block = spares > 0 ? spare[--spares] : fresh();
        if (lists[block] != list) {
            lists[block] = list;
        }
        return block;
    }

    private int fresh() {
        if (used == lists.length) {
            int capacity = 2 * used;
            data = Arrays.copyOf(data, capacity << SHIFT);
            lists = Arrays.copyOf(lists, capacity);
            segments = Arrays.copyOf(segments, capacity);
        }
        return used++;
    }
}
