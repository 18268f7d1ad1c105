/** Optimizers as torch.optim runs them: what they keep, and what a step takes for a while. */
package dev.headroom.executor.optim;
