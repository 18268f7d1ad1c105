/**
 * How sure a prediction is. What PyTorch's code decides is exact; what only bounds are known of is played at both ends;
 * what is left is described by how far predictions were from what was measured on real GPUs. From that come intervals
 * for the peak and the probability of running out of memory.
 */
@NullMarked
package dev.headroom.estimator.certainty;

import org.jspecify.annotations.NullMarked;
