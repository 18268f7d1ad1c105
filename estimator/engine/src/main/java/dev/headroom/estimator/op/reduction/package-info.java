/**
 * Reductions over dimensions, norms and deviations, scans, sorting and selection, with the scratch that their kernels
 * take. Begin with {@code Aggregates}.
 */
@NullMarked
package dev.headroom.estimator.op.reduction;

import org.jspecify.annotations.NullMarked;
