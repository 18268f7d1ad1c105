package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Segments that grow, worked by hand: granules are 20 MiB for large requests and 2 MiB for small ones. */
class ExpandableSegmentsTest {
    private final List<String> heard = new ArrayList<>();

    private CachingAllocator allocator(DeviceMemory memory) {
        CachingAllocator a = new CachingAllocator(AllocatorSettings.parse("expandable_segments:True"), memory);
        a.setListener((action, address, bytes, stream, pool) -> {
            if (action.label().startsWith("segment")) {
                heard.add(action.label() + " " + bytes / MIB + " stream " + stream);
            }
        });
        return a;
    }

    private CachingAllocator allocator(long totalMib) {
        return allocator(new SimulatedDeviceMemory(totalMib * MIB));
    }

    private static long reserved(CachingAllocator a) {
        return a.statistics().reservedBytes().current() / MIB;
    }

    /** Such as {@code 0:10 used, 10:10 free} for each mapped range, in MiB from an address. */
    private static String map(CachingAllocator a, long from) {
        return a.segments().stream()
                .map(segment -> segment.blocks().stream()
                        .map(b -> (b.address() - from) / MIB + ":" + b.size() / MIB
                                + (b.state() == BlockState.INACTIVE ? " free" : " used"))
                        .collect(Collectors.joining(", ")))
                .collect(Collectors.joining(" | "));
    }

    @Test
    void memoryComesInGranules() {
        CachingAllocator a = allocator(100);
        int first = a.allocate(15 * MIB, 0);
        assertEquals("0:15 used, 15:5 free", map(a, a.address(first)));
        a.allocate(20 * MIB, 0);
        assertEquals("0:15 used, 15:20 used, 35:5 free", map(a, a.address(first)), "the tail, and what it lacks");
        a.allocate(5 * MIB, 0);
        a.allocate(100, 0);
        assertEquals(List.of("segment_map 20 stream 0", "segment_map 20 stream 0", "segment_map 2 stream 0"), heard);
        assertEquals(42, reserved(a));
        assertEquals(3, a.statistics().numDeviceAlloc());
        assertEquals(40 * MIB, a.statistics().reservedBytes().current() - 2 * MIB);
    }

    @Test
    void addressesAreReservedForNineEighthsOfTheDevice() {
        CachingAllocator a = allocator(100);
        long small = a.address(a.allocate(100, 0));
        long large = a.address(a.allocate(15 * MIB, 0));
        long other = a.address(a.allocate(15 * MIB, 1));
        assertEquals(114, (large - small) / MIB, "112.5 MiB in granules of 2 MiB");
        assertEquals(120, (other - large) / MIB, "in granules of 20 MiB");
        assertEquals(
                List.of(0, 0, 1), a.segments().stream().map(Segment::stream).toList());
    }

    /** A block of 60 MiB that begins and ends within granules gives back the 40 MiB between. */
    @Test
    void wholeGranulesGoBackAndTheEndsStay() {
        CachingAllocator a = allocator(100);
        int first = a.allocate(10 * MIB, 0);
        int middle = a.allocate(60 * MIB, 0);
        a.allocate(10 * MIB, 0);
        long from = a.address(first);
        a.free(middle);
        heard.clear();
        a.emptyCache();
        assertEquals(List.of("segment_unmap 40 stream 0"), heard);
        assertEquals("0:10 used, 10:10 free | 60:10 free, 70:10 used", map(a, from));
        assertEquals(40, reserved(a));
        assertEquals(1, a.statistics().numDeviceFree());
        // The free ends and the gap between them serve a request that needs all three, from the first of them on.
        assertEquals(from + 10 * MIB, a.address(a.allocate(50 * MIB, 0)));
        assertEquals("0:10 used, 10:50 used, 60:10 free, 70:10 used", map(a, from));
        assertEquals(80, reserved(a));
    }

    @Test
    void anEndThatWasKeptServesRequests() {
        CachingAllocator a = allocator(100);
        int first = a.allocate(20 * MIB, 0);
        int middle = a.allocate(50 * MIB, 0);
        a.allocate(10 * MIB, 0);
        a.free(middle);
        a.emptyCache();
        long from = a.address(first);
        assertEquals("0:20 used | 60:10 free, 70:10 used", map(a, from));
        assertEquals(from + 60 * MIB, a.address(a.allocate(10 * MIB, 0)));
        assertEquals(40, reserved(a));
    }

    @Test
    void aGapThatIsTooSmallIsPassedOver() {
        CachingAllocator a = allocator(200);
        long from = a.address(a.allocate(20 * MIB, 0));
        int gap = a.allocate(20 * MIB, 0);
        a.allocate(20 * MIB, 0);
        a.free(gap);
        a.emptyCache();
        assertEquals(from + 60 * MIB, a.address(a.allocate(30 * MIB, 0)));
        assertEquals(from + 20 * MIB, a.address(a.allocate(20 * MIB, 0)));
        assertEquals("0:20 used, 20:20 used, 40:20 used, 60:30 used, 90:10 free", map(a, from));
    }

    /** Without a whole granule in the gap nothing moves: the block stays free as it is. */
    @Test
    void lessThanAGranuleStays() {
        CachingAllocator a = allocator(100);
        long from = a.address(a.allocate(10 * MIB, 0));
        int within = a.allocate(28 * MIB, 0);
        a.allocate(2 * MIB, 0);
        a.free(within);
        heard.clear();
        a.emptyCache();
        assertEquals(List.of(), heard);
        assertEquals(40, reserved(a));
        assertEquals(from + 10 * MIB, a.address(a.allocate(28 * MIB, 0)));
    }

    @Test
    void anEmptySegmentGivesUpItsAddresses() {
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(100 * MIB);
        CachingAllocator a = allocator(memory);
        int first = a.allocate(30 * MIB, 0);
        long address = a.address(first);
        a.free(first);
        a.emptyCache();
        assertEquals(0, memory.used());
        assertEquals(0, reserved(a));
        assertEquals(List.of(), a.segments());
        assertEquals(address, a.address(a.allocate(30 * MIB, 1)), "another stream may have them");
        long again = a.address(a.allocate(30 * MIB, 0));
        assertTrue(Math.abs(again - address) >= 30 * MIB, "the first stream opens a segment of its own");
    }

    @Test
    void endsThatWereKeptGoBackWithTheRest() {
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(100 * MIB);
        CachingAllocator a = allocator(memory);
        int first = a.allocate(15 * MIB, 0);
        long from = a.address(first);
        int middle = a.allocate(30 * MIB, 0);
        int last = a.allocate(15 * MIB, 0);
        a.free(middle);
        a.emptyCache();
        assertEquals("0:15 used, 15:5 free | 40:5 free, 45:15 used", map(a, from));
        int low = a.allocate(5 * MIB, 0);
        int high = a.allocate(5 * MIB, 0);
        assertEquals("0:15 used, 15:5 used | 40:5 used, 45:15 used", map(a, from), "the ends serve requests");
        a.free(last);
        a.free(first);
        a.free(low);
        a.free(high);
        assertEquals("0:20 free | 40:20 free", map(a, from), "each end joins its neighbour");
        a.emptyCache();
        assertEquals(0, memory.used());
        assertEquals(List.of(), a.segments());
    }

    @Test
    void whatTheDeviceHasNoRoomForIsRefused() {
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(50 * MIB);
        CachingAllocator a = allocator(memory);
        int first = a.allocate(15 * MIB, 0);
        assertThrows(OutOfMemoryException.class, () -> a.allocate(30 * MIB, 0), "5 MiB are there; 40 more are not");
        assertThrows(OutOfMemoryException.class, () -> a.allocate(30 * MIB, 1), "no room for 40 on a second stream");
        assertThrows(OutOfMemoryException.class, () -> a.allocate(1000 * MIB, 0), "more than the addresses");
        assertEquals(1, a.segments().stream().filter(s -> s.stream() == 0).count());
        assertEquals(a.address(first) + 15 * MIB, a.address(a.allocate(5 * MIB, 0)), "what is there still serves");
    }

    @Test
    void aSegmentWithoutAnyMemoryIsRefused() {
        SimulatedDeviceMemory memory = new SimulatedDeviceMemory(10 * MIB);
        CachingAllocator a = allocator(memory);
        assertThrows(OutOfMemoryException.class, () -> a.allocate(9 * MIB, 0), "a granule of 20 MiB");
        assertEquals(0, memory.used());
        assertEquals(2, reservedAfterSmall(a));
    }

    private static long reservedAfterSmall(CachingAllocator a) {
        a.allocate(1000, 0);
        return reserved(a);
    }

    @Test
    void withoutAddressesPyTorchStops() {
        CachingAllocator a = allocator(new WithoutAddresses());
        IllegalStateException stopped = assertThrows(IllegalStateException.class, () -> a.allocate(10 * MIB, 0));
        assertEquals(
                "no addresses left for an expandable segment of " + 120 * MIB
                        + " bytes: PyTorch stops here with a driver error; use fewer streams",
                stopped.getMessage());
    }

    /** 100 MiB whose driver has no addresses to reserve. */
    private static final class WithoutAddresses implements DeviceMemory {
        @Override
        public long allocate(long bytes) {
            return NONE;
        }

        @Override
        public void free(long address, long bytes) {}

        @Override
        public long free() {
            return total();
        }

        @Override
        public long total() {
            return 100 * MIB;
        }

        @Override
        public long reserveAddresses(long bytes) {
            return NONE;
        }

        @Override
        public void releaseAddresses(long address, long bytes) {}

        @Override
        public boolean map(long address, long bytes, long granule) {
            return false;
        }

        @Override
        public void unmap(long address, long bytes, long granule) {}
    }
}
