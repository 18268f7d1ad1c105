/**
 * Operators that compute element by element: arithmetic, comparisons, activations, dropout, selections by a mask. Their
 * formulas stand beside their derivatives.
 */
package dev.headroom.executor.op.elementwise;
