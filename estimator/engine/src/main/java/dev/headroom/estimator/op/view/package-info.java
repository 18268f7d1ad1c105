/**
 * Operators that look at the same memory in another shape, and their relatives that make larger tensors: padding and
 * repetition. The tables list them; {@code ViewCalls} reads the arguments that need some reading.
 */
@NullMarked
package dev.headroom.estimator.op.view;

import org.jspecify.annotations.NullMarked;
