package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.IntList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The free blocks of one pool and stream, ordered by size, then age of the segment, then address. This is the order of
 * PyTorch's {@code BlockComparatorSizeCounterAddress}. Blocks of about one size lie together in a {@link SizeClass};
 * there are 16 classes between a size and its double. A bit for each class tells whether anything is in it, so that the
 * smallest block of at least some size is found in one or two steps however many blocks there are.
 */
final class FreeBlocks {
    static final int NIL = BlockTable.NIL;

    /** A block's size in units of 512 bytes and its age make one number, which is what is compared first. */
    private static final int AGE_BITS = 30;

    private static final int UNIT_BITS = 9;
    /** There are this many binary digits in the number of a class within its power of two. */
    private static final int CLASS_BITS = 4;

    /** Enough for {@link #largestSize}. */
    private static final int CLASSES = 512;
    /** Binary digits of the number of a bit within a word of {@link #occupied}. */
    private static final int WORD_BITS = 6;

    final BlockPool pool;
    final int stream;
    private final BlockTable table;
    /** The smallest block of each class, or {@link #NIL}. Most classes have no other. */
    private final int[] smallest = new int[CLASSES];
    /** The other blocks of each class. */
    private final @Nullable SizeClass[] larger = new SizeClass[CLASSES];

    private final long[] occupied = new long[CLASSES >> WORD_BITS];

    FreeBlocks(BlockTable table, BlockPool pool, int stream) {
        this.table = table;
        this.pool = pool;
        this.stream = stream;
        Arrays.fill(smallest, NIL);
    }

    void clear() {
        for (int at = occupiedFrom(0); at != NIL; at = occupiedFrom(at + 1)) {
            smallest[at] = NIL;
            if (hasLarger(at)) {
                larger[at].clear();
            }
        }
        Arrays.fill(occupied, 0);
    }

    /** Takes over the blocks of another list of the same handles, when it is empty itself. */
    void copyFrom(FreeBlocks other) {
        System.arraycopy(other.occupied, 0, occupied, 0, occupied.length);
        System.arraycopy(other.smallest, 0, smallest, 0, smallest.length);
        for (int at = occupiedFrom(0); at != NIL; at = occupiedFrom(at + 1)) {
            if (other.hasLarger(at)) {
                larger(at).copyFrom(other.larger[at]);
            }
        }
    }

    /** Largest size in bytes that the key can hold. */
    static long largestSize() {
        return (1L << (63 - AGE_BITS + UNIT_BITS)) - 1;
    }

    /** Largest age that the key can hold. */
    static int largestAge() {
        return (1 << AGE_BITS) - 1;
    }

    /** The smallest block of at least this size, or {@link #NIL}. */
    int atLeast(long bytes) {
        if (bytes > largestSize()) {
            return NIL;
        }
        int at = classOf(bytes + (1 << UNIT_BITS) - 1 >>> UNIT_BITS);
        int block = smallest[at];
        if (block != NIL) {
            if (table.size(block) >= bytes) {
                return block;
            }
            block = hasLarger(at) ? larger[at].atLeast(key(bytes + (1 << UNIT_BITS) - 1, 0)) : NIL;
            if (block != NIL) {
                return block;
            }
        }
        return firstFrom(at + 1);
    }

    int first() {
        return firstFrom(0);
    }

    int last() {
        return lastUpTo(CLASSES - 1);
    }

    /** The block that follows one in the list, or {@link #NIL}. */
    int after(int block) {
        int at = sizeClass(block);
        int next = NIL;
        if (hasLarger(at)) {
            next = smallest[at] == block ? larger[at].first() : larger[at].after(key(block), block);
        }
        return next == NIL ? firstFrom(at + 1) : next;
    }

    /** The block that one in the list follows, or {@link #NIL}. */
    int before(int block) {
        int at = sizeClass(block);
        if (smallest[at] == block) {
            return lastUpTo(at - 1);
        }
        int next = larger[at].before(key(block), block);
        return next == NIL ? smallest[at] : next;
    }

    /**
     * Puts a block in.
     *
     * @param size of the block
     * @param age of the block
     */
    void insert(int block, long size, int age) {
        int at = classOf(size >>> UNIT_BITS);
        int head = smallest[at];
        if (head == NIL) {
            smallest[at] = block;
            occupied[at >> WORD_BITS] |= 1L << at;
            return;
        }
        long key = key(size, age);
        long least = key(head);
        if (key < least || key == least && table.address(block) < table.address(head)) {
            smallest[at] = block;
            larger(at).addFirst(least, head);
        } else {
            larger(at).insert(key, block);
        }
    }

    /**
     * Takes out a block.
     *
     * @param size of the block when it was put in
     * @param age of the block when it was put in
     */
    void remove(int block, long size, int age) {
        int at = classOf(size >>> UNIT_BITS);
        if (smallest[at] != block) {
            larger[at].remove(key(size, age), block);
        } else if (hasLarger(at)) {
            smallest[at] = larger[at].removeFirst();
        } else {
            smallest[at] = NIL;
            occupied[at >> WORD_BITS] &= ~(1L << at);
        }
    }

    private boolean hasLarger(int at) {
        SizeClass blocks = larger[at];
        return blocks != null && !blocks.isEmpty();
    }

    private SizeClass larger(int at) {
        SizeClass blocks = larger[at];
        if (blocks == null) {
            blocks = new SizeClass(table);
            larger[at] = blocks;
        }
        return blocks;
    }

    private int firstFrom(int from) {
        int at = occupiedFrom(from);
        return at == NIL ? NIL : smallest[at];
    }

    private int lastUpTo(int to) {
        int at = occupiedUpTo(to);
        return at == NIL ? NIL : hasLarger(at) ? larger[at].last() : smallest[at];
    }

    /** Adds all blocks in order to a list. */
    void copyTo(IntList target) {
        for (int at = occupiedFrom(0); at != NIL; at = occupiedFrom(at + 1)) {
            target.add(smallest[at]);
            if (hasLarger(at)) {
                larger[at].copyTo(target);
            }
        }
    }

    /** Size and age as one number; blocks of equal keys are ordered by address. */
    private static long key(long size, int age) {
        return size >>> UNIT_BITS << AGE_BITS | age;
    }

    private long key(int block) {
        return key(table.size(block), table.age(block));
    }

    private int sizeClass(int block) {
        return classOf(table.size(block) >>> UNIT_BITS);
    }

    /** By the five leading binary digits of a size and their place; of small sizes, each has its own class. */
    private static int classOf(long units) {
        int shift = Math.max(63 - CLASS_BITS - Long.numberOfLeadingZeros(units), 0);
        return (shift << CLASS_BITS) + (int) (units >>> shift);
    }

    /** The first class from a number on that has blocks, or {@link #NIL}. */
    private int occupiedFrom(int from) {
        if (from == CLASSES) {
            return NIL;
        }
        int word = from >> WORD_BITS;
        long bits = occupied[word] & -1L << from;
        while (bits == 0) {
            if (++word == occupied.length) {
                return NIL;
            }
            bits = occupied[word];
        }
        return (word << WORD_BITS) + Long.numberOfTrailingZeros(bits);
    }

    /** The last class up to a number that has blocks, or {@link #NIL}. */
    private int occupiedUpTo(int to) {
        if (to < 0) {
            return NIL;
        }
        int word = to >> WORD_BITS;
        long bits = occupied[word] & -1L >>> 63 - to;
        while (bits == 0) {
            if (--word < 0) {
                return NIL;
            }
            bits = occupied[word];
        }
        return (word << WORD_BITS) + 63 - Long.numberOfLeadingZeros(bits);
    }
}
