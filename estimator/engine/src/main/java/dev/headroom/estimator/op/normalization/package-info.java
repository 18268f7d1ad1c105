/** Batch, layer, group and instance normalisation, and softmax. */
@NullMarked
package dev.headroom.estimator.op.normalization;

import org.jspecify.annotations.NullMarked;
