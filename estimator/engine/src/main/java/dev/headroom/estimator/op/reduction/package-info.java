/**
 * Reductions over dimensions, norms and deviations, scans, sorting and selection, with the scratch that their
 * kernels take.
 */
package dev.headroom.estimator.op.reduction;
