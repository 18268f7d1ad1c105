package dev.headroom.model.run;

import dev.headroom.allocator.CachingAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The allocator at the end of a phase, in bytes; maxima run from the start of the process, as PyTorch's do.
 *
 * @param moment the phase that ended
 */
public record PhaseMemory(Moment moment, long allocated, long reserved, long maxAllocated, long maxReserved) {
    /** As an allocator stands now. */
    public static PhaseMemory read(Moment moment, CachingAllocator allocator) {
        var s = allocator.statistics();
        return new PhaseMemory(
                moment,
                s.allocatedBytes().current(),
                s.reservedBytes().current(),
                s.allocatedBytes().peak(),
                s.reservedBytes().peak());
    }

    /** The phase that ended. */
    public Phase phase() {
        return moment.phase();
    }

    /** Its step, or {@code null}. */
    public @Nullable Integer step() {
        return moment.step();
    }

    /** Its pass of an accumulated step, or {@code null}. */
    public @Nullable Integer micro() {
        return moment.micro();
    }
}
