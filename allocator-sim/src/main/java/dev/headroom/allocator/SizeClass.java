package dev.headroom.allocator;

import java.util.Arrays;
import java.util.List;

/**
 * Free blocks of about one size, with their keys, in falling order: the one that is handed out first lies at the end,
 * where nothing else moves when it comes and goes.
 */
final class SizeClass {
    static final int NIL = -1;
    /** So many blocks at the end are looked at, and moved, one by one. */
    private static final int NEAR = 16;

    private final BlockTable table;
    private long[] keys = new long[8];
    private int[] blocks = new int[8];
    private int count;

    SizeClass(BlockTable table) {
        this.table = table;
    }

    void clear() {
        count = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Takes over the blocks of another. */
    void copyFrom(SizeClass other) {
        count = other.count;
        if (count > keys.length) {
            keys = new long[other.keys.length];
            blocks = new int[other.keys.length];
        }
        System.arraycopy(other.keys, 0, keys, 0, count);
        System.arraycopy(other.blocks, 0, blocks, 0, count);
    }

    /** The block of the smallest key that is not below one, or {@link #NIL}. */
    int atLeast(long key) {
        int at = place(key, Long.MIN_VALUE);
        return at == 0 ? NIL : blocks[at - 1];
    }

    int first() {
        return blocks[count - 1];
    }

    int last() {
        return blocks[0];
    }

    int after(long key, Block block) {
        int at = indexOf(key, block);
        return at == 0 ? NIL : blocks[at - 1];
    }

    int before(long key, Block block) {
        int at = indexOf(key, block) + 1;
        return at == count ? NIL : blocks[at];
    }

    /** Puts in a block that is smaller than all others. */
    void addFirst(long key, Block block) {
        grow();
        keys[count] = key;
        blocks[count++] = block.handle;
    }

    int removeFirst() {
        return blocks[--count];
    }

    void insert(long key, Block block) {
        grow();
        int at = place(key, block.address);
        if (count - at > NEAR) {
            System.arraycopy(keys, at, keys, at + 1, count - at);
            System.arraycopy(blocks, at, blocks, at + 1, count - at);
        } else {
            for (int i = count; i > at; i--) {
                keys[i] = keys[i - 1];
                blocks[i] = blocks[i - 1];
            }
        }
        keys[at] = key;
        blocks[at] = block.handle;
        count++;
    }

    void remove(long key, Block block) {
        int at = indexOf(key, block);
        count--;
        if (count - at > NEAR) {
            System.arraycopy(keys, at + 1, keys, at, count - at);
            System.arraycopy(blocks, at + 1, blocks, at, count - at);
        } else {
            for (int i = at; i < count; i++) {
                keys[i] = keys[i + 1];
                blocks[i] = blocks[i + 1];
            }
        }
    }

    /** Adds all blocks to a list, the smallest first. */
    void copyTo(List<Block> target) {
        for (int i = count - 1; i >= 0; i--) {
            target.add(table.get(blocks[i]));
        }
    }

    private void grow() {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
            blocks = Arrays.copyOf(blocks, 2 * count);
        }
    }

    private int indexOf(long key, Block block) {
        int near = Math.max(count - NEAR, 0);
        for (int at = count - 1; at >= near; at--) {
            if (blocks[at] == block.handle) {
                return at;
            }
        }
        return place(key, block.address);
    }

    /**
     * Where a block belongs: how many blocks are larger than it. Looks at those near the end one by one, as most blocks
     * belong there, and halves the rest.
     */
    private int place(long key, long address) {
        int near = Math.max(count - NEAR, 0);
        int at = count;
        while (at > near && !isLarger(at - 1, key, address)) {
            at--;
        }
        if (at > near) {
            return at;
        }
        int larger = 0;
        while (larger < at) {
            int middle = larger + at >>> 1;
            if (isLarger(middle, key, address)) {
                larger = middle + 1;
            } else {
                at = middle;
            }
        }
        return at;
    }

    private boolean isLarger(int at, long key, long address) {
        return keys[at] > key || keys[at] == key && table.get(blocks[at]).address > address;
    }

    /** Which classes of size have blocks: a bit for each, and a bit for each word of bits that is not empty. */
    static final class Occupied {
        /** Enough for {@link FreeBlocks#largestSize}. */
        static final int COUNT = 512;

        /** Binary digits of the number of a bit within a word. */
        private static final int WORD_BITS = 6;

        /** The last word stays empty, so that a search may begin behind the last class. */
        private final long[] words = new long[(COUNT >> WORD_BITS) + 1];

        private long occupiedWords;

        void clear() {
            Arrays.fill(words, 0);
            occupiedWords = 0;
        }

        void copyFrom(Occupied other) {
            System.arraycopy(other.words, 0, words, 0, words.length);
            occupiedWords = other.occupiedWords;
        }

        void add(int at) {
            words[at >> WORD_BITS] |= 1L << at;
            occupiedWords |= 1L << (at >> WORD_BITS);
        }

        void remove(int at) {
            int word = at >> WORD_BITS;
            long bits = words[word] & ~(1L << at);
            words[word] = bits;
            if (bits == 0) {
                occupiedWords &= ~(1L << word);
            }
        }

        /** The first class from a number on, or {@link #NIL}. */
        int from(int at) {
            int word = at >> WORD_BITS;
            long bits = words[word] & -1L << at;
            if (bits == 0) {
                long later = occupiedWords & -2L << word;
                if (later == 0) {
                    return NIL;
                }
                word = Long.numberOfTrailingZeros(later);
                bits = words[word];
            }
            return (word << WORD_BITS) + Long.numberOfTrailingZeros(bits);
        }

        /** The last class up to a number, or {@link #NIL}. */
        int upTo(int at) {
            if (at < 0) {
                return NIL;
            }
            int word = at >> WORD_BITS;
            long bits = words[word] & -1L >>> 63 - at;
            if (bits == 0) {
                long earlier = occupiedWords & (1L << word) - 1;
                if (earlier == 0) {
                    return NIL;
                }
                word = 63 - Long.numberOfLeadingZeros(earlier);
                bits = words[word];
            }
            return (word << WORD_BITS) + 63 - Long.numberOfLeadingZeros(bits);
        }
    }
}
