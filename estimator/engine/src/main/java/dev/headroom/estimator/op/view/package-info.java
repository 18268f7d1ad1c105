/**
 * Operators that look at the same memory in another shape, and their relatives that make larger tensors: padding and
 * repetition.
 */
@NullMarked
package dev.headroom.estimator.op.view;

import org.jspecify.annotations.NullMarked;
