/** Floating-point operations of operators, graphs and training steps, from sizes alone; see {@link dev.headroom.estimator.flops.GraphFlops}. */
package dev.headroom.estimator.flops;
