package dev.headroom.allocator;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The free blocks of one pool and stream, ordered by size, then age of the segment, then address. This is the order of
 * PyTorch's {@code BlockComparatorSizeCounterAddress}. Blocks of about one size are in one class; there are 16 classes
 * between a size and its double. The smallest block of a class is at hand, the others lie in a {@link SizeClass}; a bit
 * for each class tells whether it has blocks. So the smallest block of at least some size is found in one or two steps
 * however many blocks there are.
 */
final class FreeBlocks {
    private static final int NIL = SizeClass.NIL;

    /** A block's size in units of 512 bytes and its age make one number, which is what is compared first. */
    private static final int AGE_BITS = 30;

    private static final int UNIT_BITS = 9;
    /** There are this many binary digits in the number of a class within its power of two. */
    private static final int CLASS_BITS = 4;

    final BlockPool pool;
    final int stream;
    private final BlockTable table;
    /** The smallest block of each class. Most classes have no other. */
    private final @Nullable Block[] smallest = new Block[SizeClass.Occupied.COUNT];
    /** The other blocks of each class. */
    private final @Nullable SizeClass[] larger = new SizeClass[SizeClass.Occupied.COUNT];

    private final SizeClass.Occupied occupied = new SizeClass.Occupied();

    FreeBlocks(BlockTable table, BlockPool pool, int stream) {
        this.table = table;
        this.pool = pool;
        this.stream = stream;
    }

    void clear() {
        Arrays.fill(smallest, null);
        for (int at = occupied.from(0); at != NIL; at = occupied.from(at + 1)) {
            if (hasLarger(at)) {
                larger[at].clear();
            }
        }
        occupied.clear();
    }

    /** Takes over the blocks of another list, when it is empty itself; the table has blocks of the same handles. */
    void copyFrom(FreeBlocks other) {
        occupied.copyFrom(other.occupied);
        for (int at = occupied.from(0); at != NIL; at = occupied.from(at + 1)) {
            smallest[at] = table.get(other.smallest[at].handle);
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

    /** The smallest block of at least this size. */
    @Nullable
    Block atLeast(long bytes) {
        if (bytes > largestSize()) {
            return null;
        }
        long units = bytes + (1 << UNIT_BITS) - 1 >>> UNIT_BITS;
        int at = classOf(units);
        Block block = smallest[at];
        if (block != null) {
            if (block.size >= bytes) {
                return block;
            }
            int next = hasLarger(at) ? larger[at].atLeast(units << AGE_BITS) : NIL;
            if (next != NIL) {
                return table.get(next);
            }
        }
        return firstFrom(at + 1);
    }

    @Nullable
    Block first() {
        return firstFrom(0);
    }

    @Nullable
    Block last() {
        return lastUpTo(SizeClass.Occupied.COUNT - 1);
    }

    /** The block that follows one in the list. */
    @Nullable
    Block after(Block block) {
        int at = block.sizeClass;
        int next = NIL;
        if (hasLarger(at)) {
            next = smallest[at] == block ? larger[at].first() : larger[at].after(key(block), block);
        }
        return next == NIL ? firstFrom(at + 1) : table.get(next);
    }

    /** The block that one in the list follows. */
    @Nullable
    Block before(Block block) {
        int at = block.sizeClass;
        if (smallest[at] == block) {
            return lastUpTo(at - 1);
        }
        int next = larger[at].before(key(block), block);
        return next == NIL ? smallest[at] : table.get(next);
    }

    /** Puts a block in, whose size and age stay until it is taken out. */
    void insert(Block block) {
        int at = classOf(block.size >>> UNIT_BITS);
        block.sizeClass = at;
        Block head = smallest[at];
        if (head == null) {
            smallest[at] = block;
            occupied.add(at);
        } else if (precedes(block, head)) {
            smallest[at] = block;
            larger(at).addFirst(key(head), head);
        } else {
            larger(at).insert(key(block), block);
        }
    }

    /** Takes out a block. */
    void remove(Block block) {
        int at = block.sizeClass;
        if (smallest[at] != block) {
            larger[at].remove(key(block), block);
        } else if (hasLarger(at)) {
            smallest[at] = table.get(larger[at].removeFirst());
        } else {
            smallest[at] = null;
            occupied.remove(at);
        }
    }

    /** Adds all blocks in order to a list. */
    void copyTo(List<Block> target) {
        for (int at = occupied.from(0); at != NIL; at = occupied.from(at + 1)) {
            target.add(smallest[at]);
            if (hasLarger(at)) {
                larger[at].copyTo(target);
            }
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

    private @Nullable Block firstFrom(int from) {
        int at = occupied.from(from);
        return at == NIL ? null : smallest[at];
    }

    private @Nullable Block lastUpTo(int to) {
        int at = occupied.upTo(to);
        if (at == NIL) {
            return null;
        }
        return hasLarger(at) ? table.get(larger[at].last()) : smallest[at];
    }

    private static boolean precedes(Block block, Block other) {
        long key = key(block);
        long otherKey = key(other);
        return key < otherKey || key == otherKey && block.address < other.address;
    }

    /** Size and age as one number; blocks of equal keys are ordered by address. */
    private static long key(Block block) {
        return block.size >>> UNIT_BITS << AGE_BITS | block.age;
    }

    /** By the five leading binary digits of a size and their place; of small sizes, each has its own class. */
    private static int classOf(long units) {
        int shift = Math.max(63 - CLASS_BITS - Long.numberOfLeadingZeros(units), 0);
        return (shift << CLASS_BITS) + (int) (units >>> shift);
    }
}
