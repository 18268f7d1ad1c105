/**
 * How sure a prediction is. What PyTorch's code decides is exact; what only bounds are known of is played at both ends; what
 * is left is described by how far predictions were from what was measured on real GPUs.
 */
package dev.headroom.estimator.certainty;
