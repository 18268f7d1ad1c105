/** Operators that make tensors, and copies and conversions of tensors. */
@NullMarked
package dev.headroom.estimator.op.creation;

import org.jspecify.annotations.NullMarked;
