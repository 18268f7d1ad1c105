/** Operators that make tensors, and copies and conversions of tensors. */
package dev.headroom.estimator.op.creation;
