package dev.headroom.allocator;

import java.util.Arrays;

/**
 * All blocks of an allocator in parallel arrays, so that steady work makes no objects. A handle is an index; handles of
 * deleted blocks are used again. Blocks of one segment are a doubly linked list in address order.
 */
final class BlockTable {
    static final int NIL = -1;

    long[] address = new long[256];
    long[] size = new long[256];
    long[] requested = new long[256];
    /** Value of the pool's search counter when the block was last put among the free ones: PyTorch's gc_count_base. */
    long[] cachedAt = new long[256];

    int[] previous = new int[256];
    int[] next = new int[256];
    int[] stream = new int[256];
    /** Age of the segment as a tie-break between free blocks of one size; 0 where the profile has none. */
    int[] age = new int[256];
    /** Events of other streams that are still awaited. */
    int[] events = new int[256];

    BlockPool[] pool = new BlockPool[256];
    ExpandableSegment[] segment = new ExpandableSegment[256];
    boolean[] allocated = new boolean[256];
    boolean[] mapped = new boolean[256];
    /** True when another stream recorded a use of the block; the streams are kept by {@link StreamEvents}. */
    boolean[] usedElsewhere = new boolean[256];

    private int[] spare = new int[256];
    private int spares;
    private int used;

    int create(BlockPool owner, int onStream, long at, long bytes) {
        int block = spares > 0 ? spare[--spares] : fresh();
        pool[block] = owner;
        stream[block] = onStream;
        address[block] = at;
        size[block] = bytes;
        previous[block] = NIL;
        next[block] = NIL;
        mapped[block] = true;
        return block;
    }

    void delete(int block) {
        pool[block] = null;
        segment[block] = null;
        requested[block] = 0;
        age[block] = 0;
        if (spares == spare.length) {
            spare = Arrays.copyOf(spare, 2 * spares);
        }
        spare[spares++] = block;
    }

    /** Handles in use are below this. */
    int bound() {
        return used;
    }

    boolean exists(int block) {
        return block >= 0 && block < used && pool[block] != null;
    }

    boolean isSplit(int block) {
        return previous[block] != NIL || next[block] != NIL;
    }

    /** Free for use: not handed out and not awaited on another stream. */
    boolean isFree(int block) {
        return block != NIL && !allocated[block] && events[block] == 0 && !usedElsewhere[block];
    }

    /** Puts a block between two neighbours, either of which may be absent. */
    void splice(int block, int before, int after) {
        previous[block] = before;
        next[block] = after;
        if (before != NIL) {
            next[before] = block;
        }
        if (after != NIL) {
            previous[after] = block;
        }
    }

    /** Takes over segment, tie-break age and so on from a block of the same segment. */
    void inherit(int block, int from) {
        segment[block] = segment[from];
        age[block] = age[from];
    }

    private int fresh() {
        if (used == address.length) {
            grow(2 * used);
        }
        return used++;
    }

    private void grow(int capacity) {
        address = Arrays.copyOf(address, capacity);
        size = Arrays.copyOf(size, capacity);
        requested = Arrays.copyOf(requested, capacity);
        cachedAt = Arrays.copyOf(cachedAt, capacity);
        previous = Arrays.copyOf(previous, capacity);
        next = Arrays.copyOf(next, capacity);
        stream = Arrays.copyOf(stream, capacity);
        age = Arrays.copyOf(age, capacity);
        events = Arrays.copyOf(events, capacity);
        pool = Arrays.copyOf(pool, capacity);
        segment = Arrays.copyOf(segment, capacity);
        allocated = Arrays.copyOf(allocated, capacity);
        mapped = Arrays.copyOf(mapped, capacity);
        usedElsewhere = Arrays.copyOf(usedElsewhere, capacity);
    }
}
