package dev.headroom.estimator.predict;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.log.HighestAllocated;

/**
 * How high memory went in a run, in bytes.
 *
 * @param allocated the most in live blocks
 * @param events in the log when that was first reached
 * @param reservedThen bytes in segments at that moment
 * @param reserved the most in segments
 */
public record MemoryPeak(long allocated, int events, long reservedThen, long reserved) {
    /** That of a run which is over, by when allocated memory was highest and what the allocator counted. */
    static MemoryPeak of(HighestAllocated highest, CachingAllocator allocator) {
        return new MemoryPeak(
                highest.bytes(),
                highest.events(),
                highest.reserved(),
                allocator.statistics().reservedBytes().peak());
    }
}
