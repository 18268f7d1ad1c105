package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Small cases, worked by hand from the rules of c10/cuda/CUDACachingAllocator.cpp. */
class CachingAllocatorTest {
    private static CachingAllocator allocator(String conf, long totalMib) {
        return new CachingAllocator(AllocatorSettings.parse(conf), new SimulatedDeviceMemory(totalMib * MIB));
    }

    private static long reserved(CachingAllocator a) {
        return a.statistics().reservedBytes().current();
    }

    @Test
    void smallRequestsShareASegment() {
        CachingAllocator a = allocator("", 100);
        int first = a.allocate(1, 0);
        int second = a.allocate(513, 0);
        assertEquals(512, a.size(first));
        assertEquals(1024, a.size(second));
        assertEquals(513, a.requested(second));
        assertEquals(a.address(first) + 512, a.address(second));
        assertEquals(2 * MIB, reserved(a));
        assertEquals(2 * MIB - 1536, a.statistics().inactiveSplitBytes().current());
        a.free(first);
        a.free(second);
        assertEquals(0, a.statistics().inactiveSplitBytes().current(), "whole again");
        assertEquals(1, a.segments().size());
        assertEquals(1, a.segments().get(0).blocks().size());
    }

    /** Before 1.1 (THCCachingAllocator): 1 MiB for small requests, 128 KiB steps for large ones. */
    @Test
    void segmentsOfOldVersionsHaveTheSizeOfTheRequest() {
        AllocatorSettings settings = AllocatorSettings.defaults().withProfile(AllocatorProfile.of("1.0.1"));
        CachingAllocator a = new CachingAllocator(settings, new SimulatedDeviceMemory(100 * MIB));
        assertEquals(512, a.size(a.allocate(1, 0)));
        assertEquals(MIB, reserved(a));
        int large = a.allocate(16_000_000, 0);
        assertEquals(123 * (128 << 10), a.size(large));
        assertEquals(MIB + 123 * (128 << 10), reserved(a));
    }

    /** A large block is split only when more than 1 MiB is left; at exactly 1 MiB it is handed out whole. */
    @Test
    void aRestOfOneMebibyteIsNotSplitOff() {
        CachingAllocator a = allocator("", 100);
        a.free(a.allocate(12 * MIB, 0));
        int whole = a.allocate(11 * MIB, 0);
        assertEquals(12 * MIB, a.size(whole));
        a.free(whole);
        int split = a.allocate(11 * MIB - 512, 0);
        assertEquals(11 * MIB - 512, a.size(split));
    }

    @Test
    void streamsDoNotShareCachedMemory() {
        CachingAllocator a = allocator("", 100);
        a.free(a.allocate(12 * MIB, 0));
        a.allocate(12 * MIB, 1);
        assertEquals(24 * MIB, reserved(a));
    }

    /** Both free blocks have 12 MiB; the later segment lies lower, as it took the place of a returned one. */
    @Test
    void equalBlocksAreTakenByAgeOfTheSegmentOrByAddress() {
        for (String version : new String[] {"2.14", "2.9"}) {
            AllocatorSettings settings = AllocatorSettings.defaults().withProfile(AllocatorProfile.of(version));
            CachingAllocator a = new CachingAllocator(settings, new SimulatedDeviceMemory(100 * MIB));
            int low = a.allocate(12 * MIB, 0);
            int older = a.allocate(12 * MIB, 0);
            a.free(low);
            a.emptyCache();
            int younger = a.allocate(12 * MIB, 0);
            long lower = a.address(younger);
            long higher = a.address(older);
            assertTrue(lower < higher);
            a.free(older);
            a.free(younger);
            assertEquals(version.equals("2.14") ? higher : lower, a.address(a.allocate(12 * MIB, 0)), version);
        }
    }

    @Test
    void cachedMemoryGoesBackBeforeARequestFails() {
        CachingAllocator a = allocator("", 40);
        a.free(a.allocate(24 * MIB, 0));
        a.allocate(30 * MIB, 0);
        assertEquals(30 * MIB, reserved(a));
        assertEquals(1, a.statistics().numAllocRetries());
        assertEquals(0, a.statistics().numOoms());
    }

    @Test
    void theErrorTellsWhatWasAskedFor() {
        CachingAllocator a = new CachingAllocator(
                AllocatorSettings.defaults().withLimitBytes(40 * MIB), new SimulatedDeviceMemory(2048 * MIB));
        int held = a.allocate(30 * MIB, 0);
        OutOfMemoryException e = assertThrows(OutOfMemoryException.class, () -> a.allocate(11 * MIB + 1, 0));
        assertEquals(11 * MIB + 1, e.requested());
        assertEquals(12 * MIB, e.segment());
        assertEquals(30 * MIB, e.reserved());
        assertEquals(30 * MIB, e.allocated());
        assertEquals(2018 * MIB, e.deviceFree());
        assertEquals(
                "CUDA out of memory. Tried to allocate 12.00 MiB. GPU 0 has a total capacity of 2.00 GiB of which"
                        + " 1.97 GiB is free. 40.00 MiB allowed; Of the allocated memory 30.00 MiB is allocated by"
                        + " PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
                e.getMessage());
        assertEquals(1, a.statistics().numOoms());
        assertEquals(30 * MIB, a.size(held), "the allocator goes on");
        assertThrows(OutOfMemoryException.class, () -> a.allocate(1L << 60, 0));
    }

    @Test
    void aBlockUsedElsewhereWaitsForThatStream() {
        CachingAllocator a = allocator("", 100);
        int block = a.allocate(12 * MIB, 0);
        a.streamBusy(1);
        a.recordStream(block, 0);
        a.recordStream(block, 1);
        a.free(block);
        assertEquals(0, a.statistics().allocatedBytes().current());
        assertEquals(12 * MIB, a.statistics().activeBytes().current());
        assertEquals(
                BlockState.ACTIVE_PENDING_FREE,
                a.segments().get(0).blocks().get(0).state());
        a.allocate(12 * MIB, 0);
        assertEquals(24 * MIB, reserved(a), "the block was not yet free");
        a.streamIdle(1);
        a.allocate(12 * MIB, 0);
        assertEquals(24 * MIB, reserved(a));
        assertEquals(24 * MIB, a.statistics().activeBytes().current());
    }

    @Test
    void emptyCacheWaitsForAllStreams() {
        CachingAllocator a = allocator("", 100);
        int block = a.allocate(12 * MIB, 0);
        a.streamBusy(1);
        a.recordStream(block, 1);
        a.free(block);
        a.emptyCache();
        assertEquals(0, reserved(a));
    }

    @Test
    void aCaptureDefersAndKeeps() {
        CachingAllocator a = allocator("", 40);
        int cached = a.allocate(24 * MIB, 0);
        a.free(cached);
        a.beginCapture();
        assertThrows(OutOfMemoryException.class, () -> a.allocate(30 * MIB, 0));
        int block = a.allocate(24 * MIB, 0);
        a.recordStream(block, 1);
        a.free(block);
        assertEquals(24 * MIB, a.statistics().activeBytes().current());
        a.endCapture();
        a.allocate(1 * MIB, 0);
        assertEquals(1 * MIB, a.statistics().activeBytes().current());
    }

    @Test
    void aPrivatePoolKeepsItsMemoryUntilReleased() {
        CachingAllocator a = allocator("", 100);
        a.beginAllocateToPool(1, stream -> stream == 0);
        int block = a.allocate(12 * MIB, 0);
        int other = a.allocate(12 * MIB, 1);
        a.endAllocateToPool(1);
        assertEquals(List.of(1, 0), a.segments().stream().map(Segment::pool).toList());
        a.free(block);
        a.free(other);
        a.emptyCache();
        assertEquals(12 * MIB, reserved(a));
        assertEquals(12 * MIB, a.statistics().asMap().get("reserved_bytes_by_private_pools.0_1.all.current"));
        a.releasePool(1);
        a.emptyCache();
        assertEquals(0, reserved(a));
        assertThrows(IllegalArgumentException.class, () -> a.releasePool(1));
        assertThrows(IllegalArgumentException.class, () -> a.endAllocateToPool(1));
    }

    @Test
    void expandableSegmentsGrowAndShrink() {
        CachingAllocator a = allocator("expandable_segments:True", 100);
        int first = a.allocate(15 * MIB, 0);
        int second = a.allocate(15 * MIB, 0);
        assertEquals(a.address(first) + 15 * MIB, a.address(second), "one range");
        assertEquals(40 * MIB, reserved(a));
        assertEquals(0, a.statistics().segment().current());
        a.free(first);
        a.emptyCache();
        assertEquals(40 * MIB, reserved(a), "no whole granule of 20 MiB is free");
        a.free(second);
        a.emptyCache();
        assertEquals(0, reserved(a));
        assertEquals(List.of(), a.segments());
    }

    @Test
    void withoutCachingEveryRequestIsASegment() {
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(100 * MIB);
        CachingAllocator a = new CachingAllocator(AllocatorSettings.defaults().withoutCaching(), memory);
        int small = a.allocate(100, 0);
        int large = a.allocate(3 * MIB, 0);
        assertEquals(6 * MIB, memory.used(), "the driver rounds to 2 MiB");
        assertEquals(3 * MIB + 100, a.statistics().reservedBytes().current());
        a.free(small);
        a.free(large);
        assertEquals(0, memory.used());
        assertEquals(0, a.statistics().activeBytes().current());
        assertThrows(OutOfMemoryException.class, () -> a.allocate(101 * MIB, 0));
    }

    /** Two blocks of 12 MiB with the first freed: 24 MiB reserved; an ideal allocator would hold the same. */
    @Test
    void fragmentationIsRealMinusIdeal() {
        CachingAllocator a = allocator("", 200);
        int first = a.allocate(12 * MIB, 0);
        a.allocate(12 * MIB, 0);
        a.free(first);
        assertEquals(0, a.fragmentationBytes());
        a.allocate(14 * MIB, 0);
        assertEquals(38 * MIB, reserved(a));
        assertEquals(26 * MIB, a.idealReservedBytes());
        assertEquals(12 * MIB, a.fragmentationBytes());
        a.emptyCache();
        assertEquals(0, a.fragmentationBytes());
    }

    @Test
    void listenersHearWhatPyTorchRecords() {
        CachingAllocator a = allocator("", 100);
        List<String> heard = new ArrayList<>();
        a.setListener((action, address, bytes, stream, pool) -> heard.add(action.label() + " " + bytes));
        a.free(a.allocate(100, 0));
        a.emptyCache();
        assertEquals(
                List.of(
                        "segment_alloc 2097152",
                        "alloc 100",
                        "free_requested 100",
                        "free_completed 100",
                        "segment_free 2097152"),
                heard);
    }

    @Test
    void misuseIsNamed() {
        CachingAllocator a = allocator("", 100);
        assertThrows(IllegalArgumentException.class, () -> a.allocate(0, 0));
        assertThrows(IllegalArgumentException.class, () -> a.allocate(1, -1));
        assertThrows(IllegalArgumentException.class, () -> a.allocate(1, CachingAllocator.MAX_STREAMS));
        int block = a.allocate(1, 0);
        a.free(block);
        assertThrows(IllegalArgumentException.class, () -> a.free(block));
        assertThrows(IllegalArgumentException.class, () -> a.size(-1));
        assertThrows(IllegalArgumentException.class, () -> a.createPool(0));
        assertNotEquals("", a.settings().toString());
    }

    @Test
    void peaksAndCountersCanBeReset() {
        CachingAllocator a = allocator("", 100);
        int block = a.allocate(1000, 0);
        a.allocate(500, 0);
        a.free(block);
        a.resetPeakStatistics();
        a.resetAccumulatedStatistics();
        Stat bytes = a.statistics().allocatedBytes();
        assertEquals(512, bytes.current());
        assertEquals(512, bytes.peak());
        assertEquals(0, bytes.allocated());
        assertEquals(0, bytes.freed());
    }
}
