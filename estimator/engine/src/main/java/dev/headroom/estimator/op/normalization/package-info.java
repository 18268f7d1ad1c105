/**
 * Batch, layer, group and instance normalisation, and softmax. {@code BatchNormBackend} chooses the kernels of batch
 * and instance normalisation; the others have one each.
 */
@NullMarked
package dev.headroom.estimator.op.normalization;

import org.jspecify.annotations.NullMarked;
