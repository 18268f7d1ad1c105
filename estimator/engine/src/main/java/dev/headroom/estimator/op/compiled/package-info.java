/**
 * Graphs that {@code torch.compile} compiled: their code is played statement by statement, and around it what autograd
 * does for one compiled function.
 */
@NullMarked
package dev.headroom.estimator.op.compiled;

import org.jspecify.annotations.NullMarked;
