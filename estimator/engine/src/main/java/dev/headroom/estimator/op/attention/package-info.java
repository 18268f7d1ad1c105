/**
 * Scaled dot product attention: which kernel PyTorch picks, and what each of them allocates. Begin with
 * {@code ScaledDotProduct}; {@code AttentionBackend} makes the choice, and each kernel has a class.
 */
@NullMarked
package dev.headroom.estimator.op.attention;

import org.jspecify.annotations.NullMarked;
