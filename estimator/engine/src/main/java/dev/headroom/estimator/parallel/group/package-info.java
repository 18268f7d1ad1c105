/**
 * Ranks, the groups that they form, and the collectives that they ask of NCCL. A collective is a row with bytes and
 * partners; what it keeps alive until it is waited for is on a stash.
 */
@NullMarked
package dev.headroom.estimator.parallel.group;

import org.jspecify.annotations.NullMarked;
