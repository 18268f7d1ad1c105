/**
 * Reductions over dimensions, norms and deviations, scans, sorting and selection, with the scratch that their
 * kernels take.
 */
@NullMarked
package dev.headroom.estimator.op.reduction;

import org.jspecify.annotations.NullMarked;
