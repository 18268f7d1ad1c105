package dev.headroom.executor.train;

import dev.headroom.allocator.CachingAllocator;

/**
 * The allocator at the end of a phase, in bytes.
 *
 * @param phase such as {@code forward}, as in a recording
 * @param step {@code null} before the first
 * @param micro number of the part of an accumulated step, else {@code null}
 */
public record PhaseMemory(
        String phase, Integer step, Integer micro, long allocated, long reserved, long maxAllocated, long maxReserved) {
    static PhaseMemory of(String phase, Integer step, Integer micro, CachingAllocator allocator) {
        var s = allocator.statistics();
        return new PhaseMemory(
                phase,
                step,
                micro,
                s.allocatedBytes().current(),
                s.reservedBytes().current(),
                s.allocatedBytes().peak(),
                s.reservedBytes().peak());
    }
}
