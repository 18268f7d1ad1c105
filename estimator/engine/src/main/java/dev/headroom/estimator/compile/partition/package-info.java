/**
 * Divides the joint graph: which values forward keeps, and what backward computes again
 * (torch/_functorch/partitioners.py, min_cut_rematerialization_partition). {@code Bans} says what must not be computed
 * again, {@code MinCut} keeps what is cheapest, and {@link dev.headroom.estimator.compile.partition.Partition} is the
 * result.
 */
@NullMarked
package dev.headroom.estimator.compile.partition;

import org.jspecify.annotations.NullMarked;
