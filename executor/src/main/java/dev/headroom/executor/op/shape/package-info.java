/**
 * Operators that make, copy, view, join or rearrange tensors without computing with their elements. Each class has the
 * operators of one kind, such as {@link dev.headroom.executor.op.shape.JoiningOperators}.
 */
@NullMarked
package dev.headroom.executor.op.shape;

import org.jspecify.annotations.NullMarked;
