/**
 * Operators that make, copy, view, join or rearrange tensors without computing with their elements.
 */
package dev.headroom.executor.op.shape;
