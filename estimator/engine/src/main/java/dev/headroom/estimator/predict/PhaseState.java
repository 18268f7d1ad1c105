package dev.headroom.estimator.predict;

/**
 * The allocator at the end of a phase, in bytes; maxima run from the start of the process, as PyTorch's do.
 *
 * @param phase {@code model}, {@code inputs}, {@code zero_grad}, {@code forward}, {@code loss}, {@code backward} or
 *     {@code optimizer}
 * @param step {@code null} before the first one
 * @param micro part of an accumulated step, or {@code null}
 */
public record PhaseState(
        String phase,
        Integer step,
        Integer micro,
        long allocated,
        long reserved,
        long maxAllocated,
        long maxReserved) {}
