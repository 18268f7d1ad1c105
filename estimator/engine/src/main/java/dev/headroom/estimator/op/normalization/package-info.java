/** Batch, layer, group and instance normalisation, and softmax. */
package dev.headroom.estimator.op.normalization;
