package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/** The counters by their names, each with a value of its own, so that none can stand for another. */
class AllocatorStatisticsTest {
    /** 100 bytes in the small pool, 3 MiB in the large one; a second small block comes and goes. */
    private static CachingAllocator allocator() {
        CachingAllocator a = new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(64 * MIB));
        a.allocate(100, 0);
        a.allocate(3 * MIB, 0);
        a.free(a.allocate(1000, 0));
        return a;
    }

    @Test
    void everyCounterShowsItsOwnValue() {
        AllocatorStatistics s = allocator().statistics();
        assertEquals(2, s.allocation().current());
        assertEquals(2, s.active().current());
        assertEquals(2, s.segment().current());
        assertEquals(2, s.inactiveSplit().current());
        assertEquals(3 * MIB + 512, s.allocatedBytes().current());
        assertEquals(3 * MIB + 512, s.activeBytes().current());
        assertEquals(3 * MIB + 100, s.requestedBytes().current());
        assertEquals(22 * MIB, s.reservedBytes().current());
        assertEquals(19 * MIB - 512, s.inactiveSplitBytes().current());
        assertEquals(2, s.numDeviceAlloc());
        assertEquals(0, s.numDeviceFree());
        assertEquals(100, s.arrays().get("requested_bytes").smallPool().current());
        assertEquals(3 * MIB, s.arrays().get("requested_bytes").largePool().current());
    }

    /** Segments of either pool go back when the cache is emptied, and are counted there alone. */
    @Test
    void segmentsThatGoBackAreOfTheirPool() {
        CachingAllocator a = allocator();
        a.free(a.allocate(30 * MIB, 0));
        a.emptyCache();
        StatArray segments = a.statistics().arrays().get("segment");
        assertEquals(1, segments.smallPool().current());
        assertEquals(0, segments.smallPool().freed());
        assertEquals(1, segments.largePool().current());
        assertEquals(1, segments.largePool().freed());
        assertEquals(2, segments.all().current());
    }

    /** throw_on_cudamalloc_oom refuses before the driver is asked. */
    @Test
    void rejectionsAreCountedApart() {
        CachingAllocator a = new CachingAllocator(
                AllocatorSettings.parse("throw_on_cudamalloc_oom:True"), new SimulatedDeviceMemory(64 * MIB));
        assertThrows(OutOfMemoryException.class, () -> a.allocate(80 * MIB, 0));
        assertEquals(1, a.statistics().numOomRejections());
        assertEquals(1L, a.statistics().asMap().get("num_oom_rejections"));
    }

    /** Pools and large blocks have their names in the map, and their peaks are reset with all others. */
    @Test
    void privatePoolsAndLargeBlocksAreInTheMap() {
        CachingAllocator a = new CachingAllocator(
                AllocatorSettings.parse("max_split_size_mb:20"), new SimulatedDeviceMemory(256 * MIB));
        a.createPool(1);
        a.beginAllocateToPool(1, stream -> true);
        a.free(a.allocate(30 * MIB, 0));
        a.free(a.allocate(100, 0));
        a.endAllocateToPool(1);
        a.releasePool(1);
        a.dropPool(1);
        a.emptyCache();
        SortedMap<String, Long> map = a.statistics().asMap();
        assertEquals(32 * MIB, map.get("reserved_bytes_by_private_pools.0_1.all.peak"));
        assertEquals(1L, map.get("oversize_allocations.peak"));
        assertEquals(0L, map.get("oversize_segments.current"));
        a.resetPeakStatistics();
        map = a.statistics().asMap();
        assertEquals(
                map.get("reserved_bytes_by_private_pools.0_1.all.current"),
                map.get("reserved_bytes_by_private_pools.0_1.all.peak"));
        assertEquals(0L, map.get("segment.small_pool.peak"));
    }

    @Test
    void theMapNamesPoolsAndParts() {
        SortedMap<String, Long> map = allocator().statistics().asMap();
        Map<String, Long> expected = Map.of(
                "allocation.all.allocated", 3L,
                "allocation.all.freed", 1L,
                "allocation.small_pool.peak", 2L,
                "allocation.large_pool.current", 1L,
                "allocated_bytes.small_pool.allocated", 512L + 1024,
                "requested_bytes.small_pool.freed", 1000L,
                "reserved_bytes.large_pool.peak", 20 * MIB,
                "segment.small_pool.current", 1L,
                "num_device_alloc", 2L,
                "max_split_size", -1L);
        expected.forEach((name, value) -> assertEquals(value, map.get(name), name));
    }

    /** A request beyond the device is tried again without the cache, and fails; the cache is gone by then. */
    @Test
    void failuresAndRetriesAreCounted() {
        CachingAllocator a = allocator();
        a.free(a.allocate(20 * MIB, 0));
        assertThrows(OutOfMemoryException.class, () -> a.allocate(60 * MIB, 0));
        AllocatorStatistics s = a.statistics();
        assertEquals(1, s.numAllocRetries());
        assertEquals(1, s.numOoms());
        assertEquals(3, s.numDeviceAlloc());
        assertEquals(1, s.numDeviceFree());
        SortedMap<String, Long> map = s.asMap();
        assertEquals(1L, map.get("num_alloc_retries"));
        assertEquals(1L, map.get("num_ooms"));
        assertEquals(1L, map.get("num_device_free"));
        assertEquals(s.numSyncAllStreams(), map.get("num_sync_all_streams"));
        assertEquals(0L, map.get("num_oom_rejections"));
    }

    /** Blocks and segments of at least max_split_size are counted apart. */
    @Test
    void oversizeBlocksAreCounted() {
        CachingAllocator a = new CachingAllocator(
                AllocatorSettings.parse("max_split_size_mb:20"), new SimulatedDeviceMemory(256 * MIB));
        int large = a.allocate(30 * MIB, 0);
        a.allocate(40 * MIB, 0);
        a.free(large);
        AllocatorStatistics s = a.statistics();
        assertEquals(1, s.oversizeAllocations().current());
        assertEquals(2, s.oversizeAllocations().peak());
        assertEquals(2, s.oversizeSegments().current());
        assertEquals(20 * MIB, s.asMap().get("max_split_size"));
    }

    /** After a reset, peaks are what is there, and sums begin anew; what is there stays. */
    @Test
    void resetsTouchEveryCounter() {
        CachingAllocator a = new CachingAllocator(
                AllocatorSettings.parse("max_split_size_mb:20"), new SimulatedDeviceMemory(128 * MIB));
        a.createPool(1);
        a.beginAllocateToPool(1, stream -> true);
        a.free(a.allocate(5 * MIB, 0));
        a.endAllocateToPool(1);
        a.free(a.allocate(30 * MIB, 0));
        a.free(a.allocate(100, 0));
        assertThrows(OutOfMemoryException.class, () -> a.allocate(200 * MIB, 0));
        a.allocate(100, 0);
        a.resetPeakStatistics();
        SortedMap<String, Long> peaks = a.statistics().asMap();
        peaks.forEach((name, value) -> {
            if (name.endsWith(".peak")) {
                assertEquals(peaks.get(name.replace(".peak", ".current")), value, name);
            }
        });
        a.resetAccumulatedStatistics();
        SortedMap<String, Long> sums = a.statistics().asMap();
        sums.forEach((name, value) -> {
            if (name.endsWith(".allocated") || name.endsWith(".freed") || name.startsWith("num_")) {
                assertEquals(0L, value, name);
            }
            if (name.endsWith(".current")) {
                assertEquals(peaks.get(name), value, name);
            }
        });
    }

    /** What an allocator that never fragments would hold: the most that was active since memory went back. */
    @Test
    void theIdealAllocatorHoldsTheMostThatWasActive() {
        AllocatorStatistics s = new AllocatorStatistics(Long.MAX_VALUE);
        s.handedOut(s.large, 5 * MIB, 5 * MIB);
        assertEquals(6 * MIB, s.idealReserved());
        s.becameInactive(s.large, 5 * MIB, 5 * MIB);
        s.handedOut(s.large, 3 * MIB, 3 * MIB);
        assertEquals(6 * MIB, s.idealReserved());
        AllocatorStatistics copy = new AllocatorStatistics(Long.MAX_VALUE);
        copy.copyFrom(s);
        assertEquals(6 * MIB, copy.idealReserved());
        s.released();
        assertEquals(4 * MIB, s.idealReserved());
        s.handedOut(s.small, MIB + 1, MIB + 1);
        assertEquals(6 * MIB, s.idealReserved());
        copy.released();
        assertEquals(4 * MIB, copy.idealReserved(), "a copy of its own");
    }
}
