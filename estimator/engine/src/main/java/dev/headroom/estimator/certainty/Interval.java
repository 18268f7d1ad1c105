package dev.headroom.estimator.certainty;

/**
 * Bytes that lie between two bounds in so many of all cases.
 *
 * @param level such as 0.9
 */
public record Interval(double level, long low, long high) {}
