package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** What holds for every program and every setting. */
class AllocatorLawTest {
    private static final String[] SETTINGS = {
        "",
        "expandable_segments:True",
        "max_split_size_mb:24",
        "roundup_power2_divisions:4",
        "garbage_collection_threshold:0.5",
        "expandable_segments:True,max_split_size_mb:24,garbage_collection_threshold:0.5"
    };

    @Property(tries = 150)
    void memoryIsConserved(
            @ForAll @IntRange(max = 5) int conf,
            @ForAll @LongRange(min = 40, max = 2000) long limitMib,
            @ForAll long seed) {
        long limit = limitMib * MIB;
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(4096 * MIB);
        CachingAllocator a =
                new CachingAllocator(AllocatorSettings.parse(SETTINGS[conf]).withLimitBytes(limit), memory);
        Random random = new Random(seed);
        List<Integer> live = new ArrayList<>();
        long requested = 0;
        for (int step = 0; step < 400; step++) {
            if (random.nextInt(100) < 55 || live.isEmpty()) {
                long bytes = 1 + (long) Math.exp(random.nextDouble() * Math.log(40 * MIB));
                try {
                    int block = a.allocate(bytes, random.nextInt(2));
                    live.add(block);
                    requested += bytes;
                    assertTrue(a.size(block) >= bytes);
                } catch (OutOfMemoryException e) {
                    assertTrue(e.reserved() + e.segment() > limit || memory.free() < e.segment());
                }
            } else {
                int block = live.remove(random.nextInt(live.size()));
                requested -= a.requested(block);
                if (random.nextInt(10) == 0) {
                    a.recordStream(block, 3);
                }
                a.free(block);
            }
            checkState(a, live.size(), limit);
        }
        a.emptyCache();
        assertEquals(requested, a.statistics().requestedBytes().current());
        AllocatorStatistics stats = a.statistics();
        assertEquals(stats.reservedBytes().current(), 4096 * MIB - memory.free(), "what is reserved is what is taken");
        live.forEach(a::free);
        a.emptyCache();
        assertEquals(0, stats.reservedBytes().current(), "after all is freed, all goes back");
        assertEquals(4096 * MIB, memory.free());
        assertEquals(
                0, stats.activeBytes().current() + stats.inactiveSplitBytes().current());
    }

    private static void checkState(CachingAllocator a, int live, long limit) {
        AllocatorStatistics stats = a.statistics();
        assertTrue(stats.requestedBytes().current() <= stats.activeBytes().current());
        assertTrue(stats.allocatedBytes().current() <= stats.activeBytes().current());
        assertTrue(stats.activeBytes().current() <= stats.reservedBytes().current());
        // Expandable segments map whole granules, though the limit is checked with the request's own segment size.
        assertTrue(stats.reservedBytes().current() <= limit || a.settings().expandableSegments());
        assertTrue(a.idealReservedBytes() <= stats.reservedBytes().current());
        long total = 0;
        int handedOut = 0;
        long end = 0;
        Set<Integer> handles = new HashSet<>();
        for (Segment segment : a.segments()) {
            assertTrue(segment.address() >= end, "segments do not overlap");
            long at = segment.address();
            boolean free = false;
            for (Segment.Block block : segment.blocks()) {
                assertEquals(at, block.address(), "blocks lie side by side");
                assertEquals(0, block.size() % 512);
                assertTrue(handles.add(block.handle()));
                boolean inactive = block.state() == BlockState.INACTIVE;
                assertTrue(!(free && inactive), "free neighbours are one block");
                free = inactive;
                handedOut += block.state() == BlockState.ACTIVE_ALLOCATED ? 1 : 0;
                at += block.size();
            }
            assertEquals(segment.address() + segment.size(), at);
            end = at;
            total += segment.size();
        }
        assertEquals(stats.reservedBytes().current(), total);
        assertEquals(live, handedOut);
        assertEquals(live, stats.allocation().current());
    }

    /** The sorted list of free blocks against a tree set. */
    @Property(tries = 100)
    void freeBlocksStaySorted(@ForAll long seed, @ForAll @IntRange(min = 1, max = 600) int blocks) {
        Random random = new Random(seed);
        BlockTable table = new BlockTable();
        FreeBlocks list = new FreeBlocks(table, null, 0);
        TreeSet<Block> tree = new TreeSet<>(Comparator.comparingLong((Block b) -> b.size)
                .thenComparingInt(b -> b.age)
                .thenComparingLong(b -> b.address));
        for (int step = 0; step < 3 * blocks; step++) {
            if (random.nextInt(3) > 0 || tree.isEmpty()) {
                Block block = table.create(list, 512L * step, size(random));
                block.age = random.nextInt(3);
                list.insert(block);
                tree.add(block);
            } else {
                Block block = new ArrayList<>(tree).get(random.nextInt(tree.size()));
                tree.remove(block);
                list.remove(block);
            }
            long wanted = size(random);
            Block expected =
                    tree.stream().filter(b -> b.size >= wanted).findFirst().orElse(null);
            assertEquals(expected, list.atLeast(wanted));
        }
        List<Block> forward = new ArrayList<>();
        for (Block block = list.first(); block != null; block = list.after(block)) {
            forward.add(block);
        }
        assertEquals(new ArrayList<>(tree), forward);
        List<Block> backward = new ArrayList<>();
        for (Block block = list.last(); block != null; block = list.before(block)) {
            backward.add(0, block);
        }
        assertEquals(forward, backward);
        List<Block> copied = new ArrayList<>();
        list.copyTo(copied);
        assertEquals(forward, copied);
    }

    /** Many blocks of few sizes, as runs have them, and some of any size up to the largest. */
    private static long size(Random random) {
        long units = 1 + random.nextInt(40);
        return random.nextInt(4) > 0
                ? 512 * units
                : Math.min(units << 9 + random.nextInt(34), FreeBlocks.largestSize() - 511);
    }
}
