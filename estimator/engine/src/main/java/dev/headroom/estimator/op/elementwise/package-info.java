/**
 * Element-wise operators: arithmetic, comparisons, elementary functions, activations, blending and dropout. Most are
 * rows of tables over {@code Unary} and {@code Binary}.
 */
@NullMarked
package dev.headroom.estimator.op.elementwise;

import org.jspecify.annotations.NullMarked;
