/** Pooling, interpolation, sampling and patches of images. */
@NullMarked
package dev.headroom.estimator.op.pooling;

import org.jspecify.annotations.NullMarked;
