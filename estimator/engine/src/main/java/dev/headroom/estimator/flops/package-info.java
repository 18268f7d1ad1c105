/**
 * Floating-point operations of operators, graphs and training steps, from sizes alone.
 * {@link dev.headroom.estimator.flops.GraphFlops} adds them up for a graph under a scenario. What a checkpoint
 * recomputes is counted from how often its nodes ran, so that plans can be compared by what they cost.
 */
@NullMarked
package dev.headroom.estimator.flops;

import org.jspecify.annotations.NullMarked;
