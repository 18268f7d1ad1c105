package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens when the driver is asked for more than there is (c10, alloc_block and its callers). */
class SegmentRequestsTest {
    private static CachingAllocator allocator(AllocatorSettings settings) {
        return new CachingAllocator(settings, new SimulatedDeviceMemory(100 * MIB));
    }

    private static long reserved(CachingAllocator a) {
        return a.statistics().reservedBytes().current() / MIB;
    }

    /** As PyTorch 2.14.1 did over null libraries: nothing goes back first, not even what would help. */
    @Test
    void whatExceedsTheDeviceIsRejectedAtOnce() {
        CachingAllocator a = allocator(AllocatorSettings.parse("throw_on_cudamalloc_oom:True"));
        a.free(a.allocate(20 * MIB, 0));
        a.allocate(60 * MIB, 1);
        OutOfMemoryException e = assertThrows(OutOfMemoryException.class, () -> a.allocate(30 * MIB, 1));
        assertEquals(
                "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
                        + " per_process_memory_fraction limit. Requested size: 30.00 MiB",
                e.getMessage());
        assertEquals(80, reserved(a), "the cache stays");
        assertEquals(1, a.statistics().numOomRejections());
        assertEquals(0, a.statistics().numAllocRetries());
        assertEquals(0, a.statistics().numOoms());
        a.allocate(20 * MIB, 1);
        assertEquals(100, reserved(a), "exactly the device's memory");
    }

    /** What exceeds a fraction below one has the cache returned first, with the setting and without it. */
    @Test
    void whatExceedsAFractionHasTheCacheReturned() {
        for (String conf : List.of("", "throw_on_cudamalloc_oom:True")) {
            CachingAllocator a = allocator(AllocatorSettings.parse(conf).withMemoryFraction(0.5));
            a.free(a.allocate(20 * MIB, 0));
            a.allocate(30 * MIB, 1);
            a.allocate(11 * MIB, 1);
            assertEquals(42, reserved(a));
            assertEquals(0, a.statistics().numOomRejections());
            assertEquals(1, a.statistics().numAllocRetries());
        }
    }

    @Test
    void aFailureIsHeard() {
        CachingAllocator a = allocator(AllocatorSettings.defaults());
        List<String> heard = new ArrayList<>();
        a.setListener((action, address, bytes, stream, pool) ->
                heard.add(action.label() + " " + address / MIB + " " + bytes / MIB + " " + stream));
        a.allocate(60 * MIB, 0);
        heard.clear();
        assertThrows(OutOfMemoryException.class, () -> a.allocate(50 * MIB, 3));
        assertEquals(List.of("oom 40 50 3"), heard, "with the free memory in the address's place");
    }
}
