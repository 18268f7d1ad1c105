package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** On random programs under random settings the fast allocator does what the plain one does, event by event. */
class ReferenceLawTest {
    record Case(AllocatorSettings settings, long total, int streams, long largest, long seed) {
        @Override
        public String toString() {
            return settings + ", limit " + settings.allowedBytes(total) + " of " + total + ", " + streams
                    + " streams, up to " + largest + ", seed " + seed;
        }
    }

    @Provide
    Arbitrary<Case> cases() {
        Arbitrary<String> conf = Combinators.combine(
                        Arbitraries.of("", "expandable_segments:True"),
                        Arbitraries.of("", "max_split_size_mb:20", "max_split_size_mb:40", "max_split_size_mb:100"),
                        Arbitraries.of("", "roundup_power2_divisions:4", "roundup_power2_divisions:[4:2,16:8,>:1]"),
                        Arbitraries.of("", "garbage_collection_threshold:0.3", "garbage_collection_threshold:0.8"),
                        Arbitraries.of("", "large_segment_size_mb:12", "max_non_split_rounding_mb:50"))
                .as((a, b, c, d, e) -> String.join(
                        ",",
                        List.of(a, b, c, d, e).stream()
                                .filter(s -> !s.isEmpty())
                                .toList()));
        Arbitrary<AllocatorSettings> settings = Combinators.combine(
                        conf,
                        Arbitraries.of(0L, 100 * MIB, 300 * MIB, 1000 * MIB + 12345),
                        Arbitraries.of("2.14", "2.9"))
                .as((text, limit, version) -> {
                    AllocatorSettings parsed = AllocatorSettings.parse(text).withProfile(AllocatorProfile.of(version));
                    return limit == 0 ? parsed : parsed.withLimitBytes(limit);
                });
        return Combinators.combine(
                        settings,
                        Arbitraries.of(256 * MIB, 700 * MIB, 16384 * MIB),
                        Arbitraries.integers().between(1, 3),
                        Arbitraries.of(2048L, 2 * MIB, 30 * MIB, 150 * MIB),
                        Arbitraries.longs())
                .as(Case::new);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void fastEqualsPlain(@ForAll("cases") Case c) {
        CachingAllocator fast = new CachingAllocator(c.settings(), new SimulatedDeviceMemory(c.total()));
        ReferenceAllocator plain = new ReferenceAllocator(c.settings(), new SimulatedDeviceMemory(c.total()));
        Random random = new Random(c.seed());
        List<Integer> handles = new ArrayList<>();
        List<ReferenceAllocator.Block> blocks = new ArrayList<>();
        for (int step = 0; step < 250; step++) {
            double kind = random.nextDouble();
            if (kind < 0.02) {
                fast.emptyCache();
                plain.emptyCache();
            } else if (kind < 0.55 || handles.isEmpty()) {
                long bytes = 1 + (long) Math.exp(random.nextDouble() * Math.log((double) c.largest()));
                int stream = random.nextInt(c.streams());
                ReferenceAllocator.Block expected = plain.allocate(bytes, stream);
                int handle = tryAllocate(fast, bytes, stream);
                assertEquals(expected == null, handle < 0, "step " + step + " fails");
                if (expected != null) {
                    handles.add(handle);
                    blocks.add(expected);
                }
            } else {
                int i = random.nextInt(handles.size());
                fast.free(handles.remove(i));
                plain.free(blocks.remove(i));
            }
            compare(fast, plain, step);
            assertEquals(shapes(plain), shapes(fast), "segments after step " + step);
        }
    }

    private static int tryAllocate(CachingAllocator fast, long bytes, int stream) {
        try {
            return fast.allocate(bytes, stream);
        } catch (OutOfMemoryException e) {
            return -1;
        }
    }

    private static void compare(CachingAllocator fast, ReferenceAllocator plain, int step) {
        AllocatorStatistics stats = fast.statistics();
        assertEquals(plain.sum(b -> b.used), stats.allocatedBytes().current(), "allocated after step " + step);
        assertEquals(plain.reserved, stats.reservedBytes().current(), "reserved after step " + step);
        assertEquals(plain.inactiveSplit(), stats.inactiveSplitBytes().current(), "split after step " + step);
        assertEquals(plain.maxAllocated, stats.allocatedBytes().peak(), "peak allocated after step " + step);
        assertEquals(plain.maxReserved, stats.reservedBytes().peak(), "peak reserved after step " + step);
        assertEquals(plain.retries, stats.numAllocRetries(), "retries after step " + step);
        assertEquals(plain.ooms, stats.numOoms(), "ooms after step " + step);
    }

    private static List<String> shapes(CachingAllocator fast) {
        List<String> blocks = new ArrayList<>();
        for (Segment s : fast.segments()) {
            for (Segment.Block b : s.blocks()) {
                blocks.add(b.address() + " " + b.size() + " " + (b.state() == BlockState.ACTIVE_ALLOCATED) + " "
                        + s.stream() + " " + s.small());
            }
        }
        return blocks;
    }

    private static List<String> shapes(ReferenceAllocator plain) {
        List<ReferenceAllocator.Block> mapped = new ArrayList<>();
        plain.areas.forEach(a -> mapped.addAll(a.blocks));
        mapped.removeIf(b -> !b.mapped);
        mapped.sort(Comparator.comparingLong(b -> b.at));
        return mapped.stream()
                .map(b -> b.at + " " + b.size + " " + b.used + " " + b.area.stream + " " + b.area.small)
                .toList();
    }
}
