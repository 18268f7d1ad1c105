package dev.headroom.allocator.replay;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.Bytes;
import dev.headroom.allocator.SimulatedDeviceMemory;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What came of playing a trace with certain settings; sizes are bytes.
 *
 * @param settings the settings
 * @param events requests, frees and so on that were played
 * @param peakAllocated most bytes in blocks handed out
 * @param peakReserved most bytes held from the driver
 * @param idealReserved what an allocator without fragmentation would have held at most
 * @param retries requests that succeeded or failed only after all cached memory was returned
 * @param outOfMemory requests that failed
 * @param firstFailure the first of these, or null
 * @param statistics all counters at the end, under PyTorch's names
 */
public record ReplayResult(
        AllocatorSettings settings,
        long events,
        long peakAllocated,
        long peakReserved,
        long idealReserved,
        long retries,
        long outOfMemory,
        @Nullable Failure firstFailure,
        SortedMap<String, Long> statistics) {
    /**
     * A request that found no memory.
     *
     * @param event its number in the trace, from 0
     * @param phase the last mark before it, or empty
     * @param requested bytes asked for
     * @param allocated bytes handed out at that moment
     * @param reserved bytes held from the driver at that moment
     * @param message as PyTorch words it
     */
    public record Failure(long event, String phase, long requested, long allocated, long reserved, String message) {}

    /** Whether every request was served. */
    public boolean fits() {
        return firstFailure == null;
    }

    /** Bytes reserved at most because of fragmentation: real minus ideal. */
    public long fragmentation() {
        return Math.max(0, peakReserved - idealReserved);
    }

    static long ideal(long peakActive) {
        return Bytes.roundUp(peakActive, SimulatedDeviceMemory.GRANULE);
    }
}
