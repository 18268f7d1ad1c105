/**
 * Operators that reduce or scan dimensions: sums, means, extremes, moments, running sums, softmax. Which scratch
 * memory a reduction takes is decided in {@link dev.headroom.executor.op.basic.ReductionPlan}.
 */
@NullMarked
package dev.headroom.executor.op.reduction;

import org.jspecify.annotations.NullMarked;
