/**
 * Functions that users define with {@code torch.autograd.Function}: forward and backward passes of their own, which a
 * recorded program has as two graphs. Begin with {@link dev.headroom.estimator.function.CustomFunction}.
 */
@NullMarked
package dev.headroom.estimator.function;

import org.jspecify.annotations.NullMarked;
