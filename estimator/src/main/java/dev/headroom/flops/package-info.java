/** Floating-point operations of operators, graphs and training steps, from sizes alone; see {@link dev.headroom.flops.GraphFlops}. */
package dev.headroom.flops;
