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
    private static final int STREAM_AGE = 6;
    private static final int STATE = 7;

    private static final int ALLOCATED = 1;
    private static final int UNMAPPED = 2;
    private static final int USED_ELSEWHERE = 4;
    private static final int EXPANDABLE = 8;
    private static final int EVENT = 16;
    /** What a block is, as opposed to how it is used: a free block has no other bits in its state. */
    private static final int KIND = UNMAPPED | EXPANDABLE;

    private long[] data = new long[256 << SHIFT];
    private @Nullable BlockPool[] pools = new BlockPool[256];
    private @Nullable ExpandableSegment[] segments = new ExpandableSegment[256];
    private int[] spare = new int[256];
    private int spares;
    private int used;

    /** Makes a block with memory behind it, without neighbours, that nobody uses. */
    int create(BlockPool pool, int stream, long address, long size) {
        int block = spares > 0 ? spare[--spares] : fresh();
        pools[block] = pool;
        long[] d = data;
        int at = block << SHIFT;
        d[at + ADDRESS] = address;
        d[at + SIZE] = size;
        d[at + REQUESTED] = 0;
        d[at + PREVIOUS] = NIL;
        d[at + NEXT] = NIL;
        d[at + STREAM_AGE] = (long) stream << 32;
        d[at + STATE] = 0;
        return block;
    }

    /** Ends a handle; it may be given to another block later. */
    void delete(int block) {
        pools[block] = null;
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
        return block >= 0 && block < used && pools[block] != null;
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
        return (int) (data[(block << SHIFT) + STREAM_AGE] >> 32);
    }

    /** Age of the segment as a tie-break between free blocks of one size; 0 where the profile has none. */
    int age(int block) {
        return (int) data[(block << SHIFT) + STREAM_AGE];
    }

    void setAge(int block, int age) {
        int at = (block << SHIFT) + STREAM_AGE;
        data[at] = data[at] & -1L << 32 | age;
    }

    BlockPool pool(int block) {
        return pools[block];
    }

    /** The segment of a block that {@link #isExpandable}. */
    ExpandableSegment segment(int block) {
        return segments[block];
    }

    void setSegment(int block, ExpandableSegment segment) {
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

    private int fresh() {
        if (used == pools.length) {
            int capacity = 2 * used;
            data = Arrays.copyOf(data, capacity << SHIFT);
            pools = Arrays.copyOf(pools, capacity);
            segments = Arrays.copyOf(segments, capacity);
        }
        return used++;
    }
}
