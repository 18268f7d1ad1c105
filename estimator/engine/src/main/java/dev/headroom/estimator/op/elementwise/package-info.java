/**
 * Element-wise operators: arithmetic, comparisons, elementary functions, activations, blending and dropout. Most are
 * rows of tables over {@code Unary} and {@code Binary}.
 */
package dev.headroom.estimator.op.elementwise;
