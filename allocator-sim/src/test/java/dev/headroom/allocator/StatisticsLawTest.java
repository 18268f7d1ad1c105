package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Peaks and sums are those that somebody finds who looks at the values after every step. */
class StatisticsLawTest {
    private static final String[] SETTINGS = {"", "max_split_size_mb:24", "expandable_segments:True"};

    /** A random program on one stream, and what was seen since the last resets. */
    private static final class Program {
        private final CachingAllocator allocator;
        private final Random random;
        private final List<Integer> live = new ArrayList<>();
        private final Map<String, Long> largest = new HashMap<>();
        private long handedOut;
        private long handedOutBytes;
        private long givenBack;
        private long givenBackBytes;

        Program(String conf, long seed) {
            allocator = new CachingAllocator(AllocatorSettings.parse(conf), new SimulatedDeviceMemory(4096 * MIB));
            random = new Random(seed);
        }

        void step() {
            int what = random.nextInt(100);
            if (what < 50 || live.isEmpty()) {
                int block = allocator.allocate(1 + (long) Math.exp(random.nextDouble() * Math.log(40 * MIB)), 0);
                live.add(block);
                handedOut++;
                handedOutBytes += allocator.size(block);
            } else if (what < 94) {
                int block = live.remove(random.nextInt(live.size()));
                givenBack++;
                givenBackBytes += allocator.size(block);
                allocator.free(block);
            } else if (what < 96) {
                allocator.emptyCache();
            } else if (what < 98) {
                allocator.resetPeakStatistics();
                largest.clear();
            } else {
                allocator.resetAccumulatedStatistics();
                handedOut = 0;
                handedOutBytes = 0;
                givenBack = 0;
                givenBackBytes = 0;
            }
        }

        void look() {
            allocator.statistics().asMap().forEach((name, value) -> {
                if (name.endsWith(".current")) {
                    largest.merge(name.replace(".current", ".peak"), value, Math::max);
                }
            });
        }

        void compare() {
            AllocatorStatistics stats = allocator.statistics();
            Map<String, Long> map = stats.asMap();
            largest.forEach((name, value) -> assertEquals(value, map.get(name), name));
            assertEquals(handedOut, stats.allocation().allocated());
            assertEquals(handedOut, stats.active().allocated());
            assertEquals(givenBack, stats.allocation().freed());
            assertEquals(givenBack, stats.active().freed());
            assertEquals(handedOutBytes, stats.allocatedBytes().allocated());
            assertEquals(givenBackBytes, stats.activeBytes().freed());
        }
    }

    @Property(tries = 90)
    void peaksAreTheLargestValuesThatWereSeen(@ForAll @IntRange(max = 2) int conf, @ForAll long seed) {
        Program program = new Program(SETTINGS[conf], seed);
        for (int step = 0; step < 300; step++) {
            program.step();
            program.look();
            if (step % 7 == 0) {
                program.compare();
            }
        }
    }
}
