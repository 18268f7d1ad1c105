package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Which free block serves a request and what is cut off it, worked by hand (c10, get_free_block and should_split). */
class BestFitTest {
    private static final String LIMIT = "max_split_size_mb:64";

    private static CachingAllocator allocator(String conf) {
        return new CachingAllocator(AllocatorSettings.parse(conf), new SimulatedDeviceMemory(1000 * MIB));
    }

    /** Caches one block, then asks for another: the block that serves it, in MiB. */
    private static long served(CachingAllocator a, long cachedMib, long askedMib) {
        a.free(a.allocate(cachedMib * MIB, 0));
        return a.size(a.allocate(askedMib * MIB, 0)) / MIB;
    }

    private static long reserved(CachingAllocator a) {
        return a.statistics().reservedBytes().current() / MIB;
    }

    @Test
    void blocksFromTheLimitOnAreNotForSmallerRequests() {
        CachingAllocator a = allocator(LIMIT);
        assertEquals(30, served(a, 64, 30));
        assertEquals(94, reserved(a), "a segment of its own");
    }

    @Test
    void blocksBelowTheLimitAreCut() {
        CachingAllocator a = allocator(LIMIT);
        assertEquals(30, served(a, 62, 30));
        assertEquals(62, reserved(a));
        assertEquals(1, a.statistics().inactiveSplit().current());
        assertEquals(32 * MIB, a.statistics().inactiveSplitBytes().current());
    }

    @Test
    void requestsFromTheLimitOnTakeAWholeBlockThatIsLittleLarger() {
        CachingAllocator a = allocator(LIMIT);
        assertEquals(82, served(a, 82, 64));
        assertEquals(82, reserved(a));
    }

    @Test
    void aBlockThatIsTwentyMebibytesLargerIsPassedOver() {
        CachingAllocator a = allocator(LIMIT);
        assertEquals(80, served(a, 100, 80));
        assertEquals(180, reserved(a));
    }

    @Test
    void aSmallBlockIsCutToTheLastUnit() {
        CachingAllocator a = allocator("");
        assertEquals(MIB - 512, a.size(a.allocate(MIB - 512, 0)));
        a.allocate(MIB, 0);
        int rest = a.allocate(512, 0);
        assertEquals(512, a.size(rest));
        assertEquals(2, reserved(a), "all of it in one segment");
        assertEquals(0, a.statistics().inactiveSplitBytes().current());
    }

    /** The end of a segment could grow: a hole within serves the request, even where the end would fit closer. */
    @Test
    void theEndOfAnExpandableSegmentIsSpared() {
        CachingAllocator a = allocator("expandable_segments:True");
        int first = a.allocate(25 * MIB, 0);
        long from = a.address(first);
        a.allocate(20 * MIB, 0);
        int third = a.allocate(25 * MIB, 0);
        a.allocate(20 * MIB, 0);
        a.free(first);
        a.free(third);
        assertEquals(100, reserved(a), "with 10 MiB at the end");
        assertEquals(from, a.address(a.allocate(9 * MIB, 0)), "the lower of two equal holes");
        assertEquals(from + 9 * MIB, a.address(a.allocate(12 * MIB, 0)), "the closest hole");
        assertEquals(from + 45 * MIB, a.address(a.allocate(25 * MIB, 0)), "the hole that it fills");
        assertEquals(from + 90 * MIB, a.address(a.allocate(10 * MIB, 0)), "at last the end");
        assertEquals(100, reserved(a));
    }
}
