/**
 * What {@code torch.compile} makes of an archive, near rather than exact.
 * {@link dev.headroom.estimator.compile.Compilation} traces the joint graph of forward and backward, divides it as the
 * partitioner would, and writes the allocations of the generated code, which are then played as those of a plan.
 */
@NullMarked
package dev.headroom.estimator.compile;

import org.jspecify.annotations.NullMarked;
