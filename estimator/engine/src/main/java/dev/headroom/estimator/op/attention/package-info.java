/** Scaled dot product attention: which kernel PyTorch picks, and what each of them allocates. */
package dev.headroom.estimator.op.attention;
