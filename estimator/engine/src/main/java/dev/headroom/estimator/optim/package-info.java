/**
 * The optimizers of {@code torch.optim} and bitsandbytes as sequences of allocations: state that is made at the first
 * step, and the temporaries of each implementation (for-loop, foreach, fused). {@link Optimizers} chooses by the
 * scenario. Each class names the Python source that it follows.
 */
@NullMarked
package dev.headroom.estimator.optim;

import org.jspecify.annotations.NullMarked;
