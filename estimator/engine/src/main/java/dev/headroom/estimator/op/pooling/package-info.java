/**
 * Pooling, interpolation, sampling and patches of images. Each kind has a table of its operators and a class that plays
 * them, such as {@code Pooling}.
 */
@NullMarked
package dev.headroom.estimator.op.pooling;

import org.jspecify.annotations.NullMarked;
