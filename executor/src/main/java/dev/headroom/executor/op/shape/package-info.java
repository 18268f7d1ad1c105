/**
 * Operators that make, copy, view, join or rearrange tensors without computing with their elements.
 */
@NullMarked
package dev.headroom.executor.op.shape;

import org.jspecify.annotations.NullMarked;
