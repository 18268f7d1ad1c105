package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.IntList;
import java.util.Arrays;

/**
 * The free blocks of one pool and stream, ordered by size, then age of the segment, then address. This is the order of
 * PyTorch's {@code BlockComparatorSizeCounterAddress}. The sorted list is cut into short chunks: to find a block takes
 * two binary searches, to insert or remove one moves a few hundred bytes, and emptied chunks are used again.
 *
 * <p>A position is {@code chunk * CAPACITY + index}; it holds until the next change.
 */
final class FreeBlocks {
    static final int NONE = -1;

    private static final int SHIFT = 7;
    /** Blocks that a chunk can hold. */
    private static final int CAPACITY = 1 << SHIFT;
    /** A block's size in units of 512 bytes and its age make one number, which is what is compared first. */
    private static final int AGE_BITS = 30;

    private static final int UNIT_BITS = 9;

    private final BlockTable table;
    /** The keys and the handles of the blocks, by chunk. */
    private long[][] keys = new long[4][];

    private int[][] blocks = new int[4][];
    private int[] counts = new int[4];
    private int chunks;
    private int total;

    FreeBlocks(BlockTable table) {
        this.table = table;
    }

    int size() {
        return total;
    }

    /** Largest size in bytes that the key can hold. */
    static long largestSize() {
        return (1L << (63 - AGE_BITS + UNIT_BITS)) - 1;
    }

    /** Largest age that the key can hold. */
    static int largestAge() {
        return (1 << AGE_BITS) - 1;
    }

    /** Position of the smallest block of at least this size, or {@link #NONE}. */
    int atLeast(long bytes) {
        if (bytes > largestSize()) {
            return NONE;
        }
        long key = (bytes + (1 << UNIT_BITS) - 1) >>> UNIT_BITS << AGE_BITS;
        int chunk = firstChunkReaching(key);
        if (chunk == chunks) {
            return NONE;
        }
        return (chunk << SHIFT) + firstAtLeast(keys[chunk], counts[chunk], key);
    }

    int first() {
        return total == 0 ? NONE : 0;
    }

    int last() {
        return total == 0 ? NONE : (chunks - 1 << SHIFT) + counts[chunks - 1] - 1;
    }

    int after(int position) {
        int chunk = position >> SHIFT;
        if ((position & CAPACITY - 1) + 1 < counts[chunk]) {
            return position + 1;
        }
        return chunk + 1 < chunks ? chunk + 1 << SHIFT : NONE;
    }

    int before(int position) {
        if ((position & CAPACITY - 1) > 0) {
            return position - 1;
        }
        int chunk = (position >> SHIFT) - 1;
        return chunk >= 0 ? (chunk << SHIFT) + counts[chunk] - 1 : NONE;
    }

    int block(int position) {
        return blocks[position >> SHIFT][position & CAPACITY - 1];
    }

    void insert(int block) {
        long key = key(block);
        int chunk = firstChunkReaching(key);
        if (chunk == chunks) {
            if (chunks == 0) {
                insertChunk(0);
            }
            chunk = chunks - 1;
        }
        int index = find(chunk, key, block);
        while (index == counts[chunk] && chunk + 1 < chunks) {
            chunk++;
            index = find(chunk, key, block);
        }
        if (counts[chunk] == CAPACITY) {
            split(chunk);
            if (index > counts[chunk]) {
                index -= counts[chunk];
                chunk++;
            }
        }
        long[] k = keys[chunk];
        int[] b = blocks[chunk];
        int moved = counts[chunk] - index;
        System.arraycopy(k, index, k, index + 1, moved);
        System.arraycopy(b, index, b, index + 1, moved);
        k[index] = key;
        b[index] = block;
        counts[chunk]++;
        total++;
    }

    void remove(int block) {
        removeAt(positionOf(block));
    }

    /** Position of a block that is in the list. */
    int positionOf(int block) {
        long key = key(block);
        int chunk = firstChunkReaching(key);
        int index = find(chunk, key, block);
        while (index == counts[chunk]) {
            chunk++;
            index = find(chunk, key, block);
        }
        return (chunk << SHIFT) + index;
    }

    void removeAt(int position) {
        int chunk = position >> SHIFT;
        int index = position & CAPACITY - 1;
        int count = --counts[chunk];
        total--;
        if (count == 0) {
            removeChunk(chunk);
            return;
        }
        int moved = count - index;
        System.arraycopy(keys[chunk], index + 1, keys[chunk], index, moved);
        System.arraycopy(blocks[chunk], index + 1, blocks[chunk], index, moved);
        if (count < CAPACITY / 4 && chunk + 1 < chunks && count + counts[chunk + 1] <= CAPACITY / 2) {
            System.arraycopy(keys[chunk + 1], 0, keys[chunk], count, counts[chunk + 1]);
            System.arraycopy(blocks[chunk + 1], 0, blocks[chunk], count, counts[chunk + 1]);
            counts[chunk] += counts[chunk + 1];
            removeChunk(chunk + 1);
        }
    }

    /**
     * Removes the block at a position and inserts another, or the same with a new size. This is quick, because only the
     * blocks between the two places move.
     */
    void replaceAt(int position, int block) {
        int chunk = position >> SHIFT;
        int from = position & CAPACITY - 1;
        long[] k = keys[chunk];
        int[] b = blocks[chunk];
        int count = counts[chunk];
        long key = key(block);
        boolean beforeAll = from > 0 ? chunk > 0 && !isBefore(k[0], b[0], key, block) : chunk > 0;
        boolean afterAll = from < count - 1
                ? chunk + 1 < chunks && isBefore(k[count - 1], b[count - 1], key, block)
                : chunk + 1 < chunks;
        if (beforeAll || afterAll) {
            removeAt(position);
            insert(block);
            return;
        }
        int to = from;
        while (to > 0 && !isBefore(k[to - 1], b[to - 1], key, block)) {
            k[to] = k[to - 1];
            b[to] = b[to - 1];
            to--;
        }
        while (to + 1 < count && isBefore(k[to + 1], b[to + 1], key, block)) {
            k[to] = k[to + 1];
            b[to] = b[to + 1];
            to++;
        }
        k[to] = key;
        b[to] = block;
    }

    /** Whether a block in the list comes before another. */
    private boolean isBefore(long key, int block, long otherKey, int other) {
        return key < otherKey || key == otherKey && table.address(block) < table.address(other);
    }

    /** Adds all blocks in order to a list. */
    void copyTo(IntList target) {
        for (int at = first(); at != NONE; at = after(at)) {
            target.add(block(at));
        }
    }

    /** Size and age as one number; blocks of equal keys are ordered by address. */
    private long key(int block) {
        return table.size(block) >>> UNIT_BITS << AGE_BITS | table.age(block);
    }

    /** Index in a chunk where the block is, or would be put. */
    private int find(int chunk, long key, int block) {
        long[] k = keys[chunk];
        int count = counts[chunk];
        int index = firstAtLeast(k, count, key);
        long address = table.address(block);
        while (index < count && k[index] == key && table.address(blocks[chunk][index]) < address) {
            index++;
        }
        return index;
    }

    /** The first chunk whose last key is not below a key; the number of chunks when there is none. */
    private int firstChunkReaching(long key) {
        if (chunks == 1) {
            return keys[0][counts[0] - 1] < key ? 1 : 0;
        }
        int low = 0;
        int high = chunks;
        while (low < high) {
            int middle = low + high >>> 1;
            if (keys[middle][counts[middle] - 1] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Index of the first number that is not below a key. A binary search without branches that depend on the data, as
     * the processor would mispredict half of those.
     */
    private static int firstAtLeast(long[] sorted, int count, long key) {
        int base = 0;
        int n = count;
        while (n > 1) {
            int half = n >>> 1;
            base = sorted[base + half - 1] < key ? base + half : base;
            n -= half;
        }
        return n == 1 && sorted[base] < key ? base + 1 : base;
    }

    private void split(int chunk) {
        insertChunk(chunk + 1);
        int half = CAPACITY / 2;
        System.arraycopy(keys[chunk], half, keys[chunk + 1], 0, CAPACITY - half);
        System.arraycopy(blocks[chunk], half, blocks[chunk + 1], 0, CAPACITY - half);
        counts[chunk + 1] = CAPACITY - half;
        counts[chunk] = half;
    }

    /** Opens an empty chunk; the arrays of emptied chunks wait behind the last one. */
    private void insertChunk(int at) {
        if (chunks == counts.length) {
            keys = Arrays.copyOf(keys, 2 * chunks);
            blocks = Arrays.copyOf(blocks, 2 * chunks);
            counts = Arrays.copyOf(counts, 2 * chunks);
        }
        long[] k = keys[chunks] == null ? new long[CAPACITY] : keys[chunks];
        int[] b = blocks[chunks] == null ? new int[CAPACITY] : blocks[chunks];
        System.arraycopy(keys, at, keys, at + 1, chunks - at);
        System.arraycopy(blocks, at, blocks, at + 1, chunks - at);
        System.arraycopy(counts, at, counts, at + 1, chunks - at);
        keys[at] = k;
        blocks[at] = b;
        counts[at] = 0;
        chunks++;
    }

    private void removeChunk(int at) {
        long[] k = keys[at];
        int[] b = blocks[at];
        chunks--;
        System.arraycopy(keys, at + 1, keys, at, chunks - at);
        System.arraycopy(blocks, at + 1, blocks, at, chunks - at);
        System.arraycopy(counts, at + 1, counts, at, chunks - at);
        keys[chunks] = k;
        blocks[chunks] = b;
    }
}
