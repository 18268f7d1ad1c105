package dev.headroom.estimator.predict;

/**
 * How high memory went in a run, in bytes.
 *
 * @param allocated the most in live blocks
 * @param events in the log when that was first reached
 * @param reservedThen bytes in segments at that moment
 * @param reserved the most in segments
 */
public record MemoryPeak(long allocated, int events, long reservedThen, long reserved) {}
