/**
 * Operators that compute element by element: arithmetic, comparisons, activations, dropout, selections by a mask. Their
 * formulas stand beside their derivatives.
 */
@NullMarked
package dev.headroom.executor.op.elementwise;

import org.jspecify.annotations.NullMarked;
