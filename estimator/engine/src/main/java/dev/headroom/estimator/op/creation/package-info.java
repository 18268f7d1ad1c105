/**
 * Operators that make tensors, and copies and conversions of tensors. {@code Factories} makes them; the tables name the
 * operators.
 */
@NullMarked
package dev.headroom.estimator.op.creation;

import org.jspecify.annotations.NullMarked;
