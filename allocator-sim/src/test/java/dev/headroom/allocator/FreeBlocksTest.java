package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The lists of free blocks and gaps give what a plain search would find. */
class FreeBlocksTest {
    /** The lists, and beside them a tree that is searched from its beginning. */
    private static final class Both {
        final BlockTable table = new BlockTable();
        final FreeBlocks blocks = new FreeBlocks(table, new PoolOwner(0, table, new StatArray()).large, 0);
        final TreeSet<Integer> plain = new TreeSet<>(Comparator.comparingLong(table::size)
                .thenComparingInt(table::age)
                .thenComparingLong(table::address));

        int put(long address, long size, int age) {
            int block = table.create(blocks, address, size);
            table.setAge(block, age);
            blocks.insert(block, size, age);
            plain.add(block);
            return block;
        }

        void compare(Random random) {
            assertEquals(plain.isEmpty() ? FreeBlocks.NIL : plain.first(), blocks.first());
            assertEquals(plain.isEmpty() ? FreeBlocks.NIL : plain.last(), blocks.last());
            for (int i = 0; i < 5; i++) {
                long bytes = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
                int expected = plain.stream()
                        .filter(b -> table.size(b) >= bytes)
                        .findFirst()
                        .orElse(FreeBlocks.NIL);
                assertEquals(expected, blocks.atLeast(bytes), bytes + " bytes");
            }
        }
    }

    private static int orNil(Integer block) {
        return block == null ? FreeBlocks.NIL : block;
    }

    /** Blocks of all sizes come and go; many are equal in size, and some in age as well. */
    @Property(tries = 60)
    void theyAreInPyTorchsOrder(@ForAll long seed) {
        Random random = new Random(seed);
        Both both = new Both();
        BlockTable table = both.table;
        FreeBlocks blocks = both.blocks;
        TreeSet<Integer> plain = both.plain;
        for (int i = 0; i < 150; i++) {
            if (random.nextInt(3) > 0 || plain.isEmpty()) {
                long units = random.nextBoolean()
                        ? 1 + random.nextInt(4)
                        : 1 + (random.nextLong() >>> 34 + random.nextInt(29));
                both.put((long) i << 45, units * 512, random.nextInt(3));
            } else {
                int block = plain.stream()
                        .skip(random.nextInt(plain.size()))
                        .findFirst()
                        .orElseThrow();
                blocks.remove(block, table.size(block), table.age(block));
                plain.remove(block);
            }
            both.compare(random);
        }
        IntArrayList copied = new IntArrayList();
        blocks.copyTo(copied);
        assertEquals(List.copyOf(plain), List.copyOf(copied));
        for (int block : plain) {
            assertEquals(orNil(plain.higher(block)), blocks.after(block));
            assertEquals(orNil(plain.lower(block)), blocks.before(block));
        }
        FreeBlocks other = new FreeBlocks(table, blocks.pool, 0);
        other.copyFrom(blocks);
        blocks.clear();
        assertEquals(FreeBlocks.NIL, blocks.first());
        assertEquals(FreeBlocks.NIL, blocks.last());
        copied.clear();
        other.copyTo(copied);
        assertEquals(List.copyOf(plain), List.copyOf(copied));
    }

    @Example
    void theLargestBlocksAreFoundAndNoLarger() {
        long largest = FreeBlocks.largestSize() / 512 * 512;
        Both both = new Both();
        FreeBlocks blocks = both.blocks;
        int block = both.put(0, largest, FreeBlocks.largestAge());
        assertEquals(block, blocks.atLeast(largest));
        assertEquals(FreeBlocks.NIL, blocks.atLeast(FreeBlocks.largestSize() + 1));
        assertEquals(block, blocks.atLeast(1));
    }

    /** What an allocator that never fragments would hold: the most that was active since memory went back. */
    @Example
    void theIdealAllocatorHoldsTheMostThatWasActive() {
        IdealAllocator ideal = new IdealAllocator();
        ideal.active(5 * Bytes.MIB);
        ideal.active(3 * Bytes.MIB);
        assertEquals(6 * Bytes.MIB, ideal.reserved());
        IdealAllocator copy = new IdealAllocator();
        copy.copyFrom(ideal);
        assertEquals(6 * Bytes.MIB, copy.reserved());
        ideal.released(3 * Bytes.MIB);
        assertEquals(4 * Bytes.MIB, ideal.reserved());
        ideal.active(4 * Bytes.MIB + 1);
        assertEquals(6 * Bytes.MIB, ideal.reserved());
        assertEquals(6 * Bytes.MIB, copy.reserved(), "a copy of its own");
    }
}
