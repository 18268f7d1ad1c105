package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Copies of allocators, and what their memory tells of devices of other sizes. */
class CopyLawTest {
    private static final String[] SETTINGS = {"", "max_split_size_mb:24", "roundup_power2_divisions:4"};

    /** A random program in a device that is mostly too small, so that cached memory is returned and requests fail. */
    private static final class Program {
        private final Random random;
        private final List<Integer> live = new ArrayList<>();

        Program(long seed) {
            random = new Random(seed);
        }

        void play(CachingAllocator allocator, int steps) {
            for (int step = 0; step < steps; step++) {
                if (random.nextInt(100) < 55 || live.isEmpty()) {
                    long bytes = 1 + (long) Math.exp(random.nextDouble() * Math.log(40 * MIB));
                    try {
                        live.add(allocator.allocate(bytes, random.nextInt(2)));
                    } catch (OutOfMemoryException e) {
                        live.add(0, -1);
                    }
                } else {
                    int block = live.remove(random.nextInt(live.size()));
                    if (block >= 0) {
                        allocator.free(block);
                    }
                }
            }
        }
    }

    @Property(tries = 100)
    void aCopyGoesOnAsItsOriginalDoes(
            @ForAll @IntRange(max = 2) int conf,
            @ForAll @LongRange(min = 40, max = 1000) long mib,
            @ForAll @IntRange(max = 400) int steps,
            @ForAll long seed) {
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(mib * MIB);
        CachingAllocator original = new CachingAllocator(AllocatorSettings.parse(SETTINGS[conf]), memory);
        Program program = new Program(seed);
        program.play(original, steps);
        SimulatedDeviceMemory otherMemory = new SimulatedDeviceMemory(4096 * MIB);
        CachingAllocator copy = new CachingAllocator(original.settings(), otherMemory);
        new Program(seed + 1).play(copy, 200); // all of which is forgotten
        otherMemory.copyFrom(memory);
        copy.copyFrom(original);
        Program same = new Program(seed);
        same.play(new CachingAllocator(original.settings(), new SimulatedDeviceMemory(mib * MIB)), steps);
        List<Segment> before = original.segments();
        same.play(copy, 400);
        assertEquals(before, original.segments(), "what the copy does leaves the original alone");
        program.play(original, 400);
        assertEquals(program.live, same.live);
        assertEquals(original.segments(), copy.segments());
        assertEquals(original.statistics().asMap(), copy.statistics().asMap());
        assertEquals(original.fragmentationBytes(), copy.fragmentationBytes());
    }

    @Property(tries = 100)
    void devicesBetweenWhatWasTakenAndWhatWasRefusedAnswerAlike(
            @ForAll @IntRange(max = 2) int conf, @ForAll @LongRange(min = 40, max = 1000) long mib, @ForAll long seed) {
        AllocatorSettings settings = AllocatorSettings.parse(SETTINGS[conf]);
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(mib * MIB);
        CachingAllocator allocator = new CachingAllocator(settings, memory);
        new Program(seed).play(allocator, 400);
        for (long other : new long[] {memory.mostUsed(), memory.leastRefused() - 1}) {
            long total = Math.min(other, 4096 * MIB);
            CachingAllocator there = new CachingAllocator(settings, new SimulatedDeviceMemory(total));
            new Program(seed).play(there, 400);
            assertEquals(allocator.statistics().asMap(), there.statistics().asMap());
            assertEquals(allocator.segments(), there.segments());
        }
    }

    @Property(tries = 100)
    void theSegmentOfARequestIsKnownBefore(@ForAll @IntRange(max = 2) int conf, @ForAll long seed) {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.parse(SETTINGS[conf]), new SimulatedDeviceMemory(1L << 40));
        Random random = new Random(seed);
        Program program = new Program(seed);
        Stat reserved = allocator.statistics().reservedBytes();
        for (int step = 0; step < 100; step++) {
            program.play(allocator, 3);
            long bytes = 1 + (long) Math.exp(random.nextDouble() * Math.log(40 * MIB));
            long expected = reserved.current() + allocator.segmentFor(bytes, 0);
            program.live.add(allocator.allocate(bytes, 0));
            assertEquals(expected, reserved.current());
        }
    }

    @Test
    void whatCannotBeCopiedIsRefused() {
        AllocatorSettings plain = AllocatorSettings.parse("");
        CachingAllocator fresh = allocator(plain);
        CachingAllocator pooled = allocator(plain);
        pooled.createPool(1);
        assertThrows(IllegalStateException.class, () -> fresh.copyFrom(pooled));
        assertThrows(IllegalStateException.class, () -> pooled.copyFrom(fresh));
        CachingAllocator shared = allocator(plain);
        shared.recordStream(shared.allocate(MIB, 0), 1);
        assertThrows(IllegalStateException.class, () -> fresh.copyFrom(shared));
        AllocatorSettings expanding = AllocatorSettings.parse("expandable_segments:True");
        assertThrows(IllegalStateException.class, () -> allocator(expanding).copyFrom(allocator(expanding)));
        assertThrows(IllegalArgumentException.class, () -> fresh.copyFrom(allocator(expanding)));
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(8 * MIB, 4 * MIB);
        assertThrows(IllegalArgumentException.class, () -> memory.resize(2 * MIB), "less than what is taken");
    }

    private static CachingAllocator allocator(AllocatorSettings settings) {
        return new CachingAllocator(settings, new SimulatedDeviceMemory(1L << 30));
    }
}
