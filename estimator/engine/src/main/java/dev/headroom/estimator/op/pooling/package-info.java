/** Pooling, interpolation, sampling and patches of images. */
package dev.headroom.estimator.op.pooling;
