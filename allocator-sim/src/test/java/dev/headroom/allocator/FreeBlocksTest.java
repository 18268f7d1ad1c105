package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The lists of free blocks and gaps give what a plain search would find. */
class FreeBlocksTest {
    private static final Comparator<Block> PYTORCHS_ORDER = Comparator.comparingLong((Block b) -> b.size)
            .thenComparingInt(b -> b.age)
            .thenComparingLong(b -> b.address);

    private static PoolOwner owner(BlockTable table) {
        AllocatorStatistics stats = new AllocatorStatistics(Long.MAX_VALUE);
        return new PoolOwner(
                CachingAllocator.DEFAULT_POOL, table, stats, new StatArray(PoolSums.Counter.RESERVED_BYTES));
    }

    /** The lists, and beside them a tree that is searched from its beginning. */
    private static final class Both {
        final BlockTable table = new BlockTable();
        final FreeBlocks blocks = new FreeBlocks(table, owner(table).large, 0);
        final TreeSet<Block> plain = new TreeSet<>(PYTORCHS_ORDER);

        Block put(long address, long size, int age) {
            Block block = table.create(blocks, address, size);
            block.age = age;
            blocks.insert(block);
            plain.add(block);
            return block;
        }

        void compare(Random random) {
            assertEquals(plain.isEmpty() ? null : plain.first(), blocks.first());
            assertEquals(plain.isEmpty() ? null : plain.last(), blocks.last());
            for (int i = 0; i < 5; i++) {
                long bytes = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
                Block expected =
                        plain.stream().filter(b -> b.size >= bytes).findFirst().orElse(null);
                assertEquals(expected, blocks.atLeast(bytes), bytes + " bytes");
            }
        }
    }

    /** Blocks of all sizes come and go; many are equal in size, and some in age as well. */
    @Property(tries = 60)
    void theyAreInPyTorchsOrder(@ForAll long seed) {
        Random random = new Random(seed);
        Both both = new Both();
        BlockTable table = both.table;
        FreeBlocks blocks = both.blocks;
        TreeSet<Block> plain = both.plain;
        for (int i = 0; i < 150; i++) {
            if (random.nextInt(3) > 0 || plain.isEmpty()) {
                long units = random.nextBoolean()
                        ? 1 + random.nextInt(4)
                        : 1 + (random.nextLong() >>> 34 + random.nextInt(29));
                both.put((long) i << 45, units * 512, random.nextInt(3));
            } else {
                Block block = plain.stream()
                        .skip(random.nextInt(plain.size()))
                        .findFirst()
                        .orElseThrow();
                blocks.remove(block);
                plain.remove(block);
            }
            both.compare(random);
        }
        List<Block> copied = new ArrayList<>();
        blocks.copyTo(copied);
        assertEquals(List.copyOf(plain), List.copyOf(copied));
        for (Block block : plain) {
            assertEquals(plain.higher(block), blocks.after(block));
            assertEquals(plain.lower(block), blocks.before(block));
        }
        FreeBlocks other = new FreeBlocks(table, blocks.pool, 0);
        other.copyFrom(blocks);
        blocks.clear();
        assertNull(blocks.first());
        assertNull(blocks.last());
        copied.clear();
        other.copyTo(copied);
        assertEquals(List.copyOf(plain), List.copyOf(copied));
        List<Block> some = plain.stream().filter(b -> random.nextBoolean()).toList();
        some.forEach(blocks::insert);
        copied.clear();
        blocks.copyTo(copied);
        assertEquals(some, copied, "what was cleared holds only what came later");
    }

    /** Runs free many blocks of about one size in any order; of one size and age, the lowest is handed out first. */
    @Property(tries = 30)
    void manyBlocksOfAboutOneSizeAreInOrder(@ForAll long seed) {
        Random random = new Random(seed);
        Both both = new Both();
        for (int i = 0; i < 400; i++) {
            long address = random.nextInt(1 << 20) * 4096L + i;
            boolean common = random.nextInt(20) > 0;
            both.put(address, common ? 32 << 10 : (32 << 10) + 512 * random.nextInt(4), common ? 0 : random.nextInt(2));
            if (random.nextInt(3) == 0) {
                Block block = both.plain.stream()
                        .skip(random.nextInt(both.plain.size()))
                        .findFirst()
                        .orElseThrow();
                both.blocks.remove(block);
                both.plain.remove(block);
            }
            both.compare(random);
        }
        List<Block> copied = new ArrayList<>();
        both.blocks.copyTo(copied);
        assertEquals(List.copyOf(both.plain), copied);
    }

    @Example
    void theLargestBlocksAreFoundAndNoLarger() {
        long largest = FreeBlocks.largestSize() / 512 * 512;
        Both both = new Both();
        FreeBlocks blocks = both.blocks;
        Block block = both.put(0, largest, FreeBlocks.largestAge());
        assertEquals(block, blocks.atLeast(largest));
        assertNull(blocks.atLeast(FreeBlocks.largestSize() + 1));
        assertEquals(block, blocks.atLeast(1));
    }
}
