package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When blocks that other streams use become free, worked by hand from process_events and its kin. */
class StreamEventsTest {
    private final CachingAllocator a =
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1000 * MIB));

    /** MiB in use or awaited, once the allocator has looked at its events. */
    private long active() {
        a.free(a.allocate(512, 0));
        return a.statistics().activeBytes().current() / MIB;
    }

    @Test
    void aBlockAwaitsEveryStreamThatUsedIt() {
        int block = a.allocate(12 * MIB, 0);
        a.streamBusy(1);
        a.streamBusy(2);
        a.recordStream(block, 1);
        a.recordStream(block, 2);
        a.recordStream(block, 2);
        a.free(block);
        assertEquals(12, active());
        a.streamIdle(2);
        assertEquals(12, active());
        a.streamIdle(1);
        assertEquals(0, active());
    }

    @Test
    void blocksOfABusyStreamWaitAndThoseOfAnotherDoNot() {
        int one = a.allocate(12 * MIB, 0);
        int two = a.allocate(14 * MIB, 0);
        a.streamBusy(1);
        a.recordStream(one, 1);
        a.recordStream(two, 2);
        a.free(one);
        a.free(two);
        assertEquals(12, active());
        int three = a.allocate(16 * MIB, 0);
        a.recordStream(three, 2);
        a.free(three);
        assertEquals(12, active(), "looked at again though nothing happened on the busy stream");
        a.streamIdle(1);
        assertEquals(0, active());
    }

    /** The graph orders what was captured; a use from before needs its event. */
    @Test
    void usesOfACaptureNeedNoEvents() {
        int both = a.allocate(12 * MIB, 0);
        a.streamBusy(1);
        a.streamBusy(2);
        a.recordStream(both, 1);
        a.beginCapture();
        int captured = a.allocate(14 * MIB, 0);
        a.recordStream(captured, 2);
        a.recordStream(both, 2);
        a.free(captured);
        a.free(both);
        assertEquals(26, active());
        a.endCapture();
        assertEquals(12, active(), "only the use from before the capture is awaited");
        a.streamIdle(1);
        assertEquals(0, active());
    }

    @Test
    void waitingForOnePoolLeavesTheOthers() {
        a.beginAllocateToPool(1, stream -> stream == 0);
        int pooled = a.allocate(12 * MIB, 0);
        a.endAllocateToPool(1);
        int plain = a.allocate(14 * MIB, 0);
        a.streamBusy(3);
        a.recordStream(pooled, 3);
        a.recordStream(plain, 3);
        a.free(plain);
        a.free(pooled);
        assertEquals(26, active());
        a.dropPool(1);
        assertEquals(14, active());
        a.emptyCache();
        assertEquals(0, active());
    }

    @Test
    void whatACaptureKeptGoesBackWithTheCache() {
        a.beginCapture();
        int block = a.allocate(12 * MIB, 0);
        a.recordStream(block, 1);
        a.free(block);
        a.endCapture();
        a.emptyCache();
        assertEquals(0, a.statistics().reservedBytes().current());
    }

    @Test
    void marksAreOverAsFarAsTheHostWaited() {
        long first = a.mark();
        assertTrue(a.isOver(first), "a device that keeps up");
        a.deviceLags();
        long second = a.mark();
        assertEquals(first + 1, second);
        assertFalse(a.isOver(first));
        a.reached(second);
        assertTrue(a.isOver(first));
        assertTrue(a.isOver(second));
        assertFalse(a.isOver(second + 1));
        a.reached(first);
        assertTrue(a.isOver(second), "what was over stays over");
    }

    @Test
    void blocksAndMarksAreInOneOrder() {
        a.deviceLags();
        int early = a.allocate(12 * MIB, 0);
        int late = a.allocate(14 * MIB, 0);
        a.recordStream(early, 1);
        a.recordStream(late, 1);
        a.free(early);
        long between = a.mark();
        a.free(late);
        assertEquals(26, active());
        a.reached(between);
        assertEquals(14, active());
        a.reached(a.mark());
        assertEquals(0, active());
    }
}
