/** Scaled dot product attention: which kernel PyTorch picks, and what each of them allocates. */
@NullMarked
package dev.headroom.estimator.op.attention;

import org.jspecify.annotations.NullMarked;
