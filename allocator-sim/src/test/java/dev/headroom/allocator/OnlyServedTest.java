package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a log of requests and frees says nothing of. */
class OnlyServedTest {
    private static final long MIB = 1 << 20;

    private static CachingAllocator allocator() {
        return new CachingAllocator(AllocatorSettings.parse(""), new SimulatedDeviceMemory(64 * MIB));
    }

    @Test
    void requestsAndFreesAlone() {
        CachingAllocator allocator = allocator();
        int kept = allocator.allocate(3 * MIB, 0);
        allocator.free(allocator.allocate(30 * MIB, 1));
        allocator.free(allocator.allocate(35 * MIB, 0)); // cached memory goes back for it
        allocator.mark();
        allocator.size(kept);
        assertEquals(0, allocator.interventions());
    }

    @Test
    void whateverElseIsDone() {
        List<Consumer<CachingAllocator>> others = List.of(
                CachingAllocator::emptyCache,
                CachingAllocator::resetPeakStatistics,
                CachingAllocator::deviceLags,
                a -> a.streamBusy(1),
                a -> a.recordStream(a.allocate(MIB, 0), 1),
                a -> a.createPool(1),
                a -> a.beginAllocateToPool(1, stream -> true));
        for (int i = 0; i < others.size(); i++) {
            CachingAllocator allocator = allocator();
            others.get(i).accept(allocator);
            assertEquals(1, allocator.interventions(), "the " + i + "th of them");
        }
    }
}
