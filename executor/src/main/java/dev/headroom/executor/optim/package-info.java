/**
 * Optimizers as torch.optim runs them: what they keep, and what a step takes for a while. Begin with
 * {@code StatefulOptimizer}; {@link dev.headroom.executor.optim.Optimizers} makes the one of a run.
 */
@NullMarked
package dev.headroom.executor.optim;

import org.jspecify.annotations.NullMarked;
