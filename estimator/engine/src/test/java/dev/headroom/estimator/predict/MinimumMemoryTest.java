package dev.headroom.estimator.predict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.Bytes;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.address.Placement;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MinimumMemoryTest {
    private static final long GRANULE = SimulatedDeviceMemory.GRANULE;
    private static final String[] SETTINGS = {
        "", "max_split_size_mb:24", "roundup_power2_divisions:4", "expandable_segments:True"
    };

    /** The search may spare plays, but must come to what plays from the beginning come to. */
    @Property(tries = 150)
    void comesToTheSizeThatPlayingEverySizeOfTheSearchFinds(
            @ForAll @IntRange(max = 3) int conf, @ForAll @IntRange(min = 1, max = 60) int live, @ForAll long seed) {
        AllocatorSettings settings = AllocatorSettings.parse(SETTINGS[conf]);
        EventLog log = new EventLog();
        CachingAllocator spacious = new CachingAllocator(settings, new SimulatedDeviceMemory(1L << 40));
        List<long[]> program = program(seed, live, log, spacious);
        long allocated = spacious.statistics().allocatedBytes().peak();
        long reserved = spacious.statistics().reservedBytes().peak();
        assertEquals(
                searched(program, settings, allocated, reserved),
                new MinimumMemory(Requests.of(log), settings, Placement.DRIVER).bytes(allocated, reserved));
    }

    /** Two blocks of 4 MiB share a segment of 20 MiB, whose rest serves its own stream alone. */
    @ParameterizedTest
    @CsvSource({"0, 20", "1, 32"})
    void blocksServeTheirStream(int stream, long mib) {
        EventLog log = new EventLog();
        int first = add(log, 4, 0);
        add(log, 4, 0);
        log.free(first, 0, 0);
        add(log, 12, stream);
        long least = new MinimumMemory(Requests.of(log), AllocatorSettings.defaults(), Placement.DRIVER)
                .bytes(16 * Bytes.MIB, 40 * Bytes.MIB);
        assertEquals(mib * Bytes.MIB, least);
    }

    private static int add(EventLog log, long mib, int stream) {
        long bytes = mib * Bytes.MIB;
        return log.add(bytes, bytes, 0, Category.TEMPORARIES, DType.UINT8, new long[] {bytes}, stream, 0);
    }

    /** Allocations {number, bytes} and frees {number, 0}, about so many of them alive at once. */
    private static List<long[]> program(long seed, int live, EventLog log, CachingAllocator allocator) {
        Random random = new Random(seed);
        List<long[]> program = new ArrayList<>();
        List<int[]> alive = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            if (random.nextInt(2 * live) >= alive.size()) {
                long bytes = 1 + (long) Math.exp(random.nextDouble() * Math.log(60 * Bytes.MIB));
                int block = allocator.allocate(bytes, 0);
                int storage = log.add(bytes, bytes, 0, Category.TEMPORARIES, DType.UINT8, new long[] {bytes}, 0, 0);
                alive.add(new int[] {storage, block});
                program.add(new long[] {storage, bytes});
            } else {
                int[] ended = alive.remove(random.nextInt(alive.size()));
                log.free(ended[0], 0, 0);
                allocator.free(ended[1]);
                program.add(new long[] {ended[0], 0});
            }
        }
        return program;
    }

    private static long searched(List<long[]> program, AllocatorSettings settings, long allocated, long reserved) {
        long low = Bytes.ceilDiv(allocated, GRANULE);
        long high = Math.max(low, Bytes.ceilDiv(reserved, GRANULE));
        while (low < high) {
            long middle = (low + high) / 2;
            if (getsThrough(program, new CachingAllocator(settings, new SimulatedDeviceMemory(middle * GRANULE)))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low * GRANULE;
    }

    private static boolean getsThrough(List<long[]> program, CachingAllocator allocator) {
        int[] blocks = new int[program.size()];
        try {
            for (long[] event : program) {
                if (event[1] > 0) {
                    blocks[(int) event[0]] = allocator.allocate(event[1], 0);
                } else {
                    allocator.free(blocks[(int) event[0]]);
                }
            }
            return true;
        } catch (OutOfMemoryException e) {
            return false;
        }
    }
}
