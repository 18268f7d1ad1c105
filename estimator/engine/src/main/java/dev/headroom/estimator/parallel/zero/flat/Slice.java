package dev.headroom.estimator.parallel.zero.flat;

/**
 * What of a parameter lies in the partition of one rank.
 *
 * @param rank whose it is
 * @param start first element of the parameter
 * @param numel elements
 */
record Slice(int rank, long start, long numel) {}
