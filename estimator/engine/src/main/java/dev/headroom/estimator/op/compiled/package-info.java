/**
 * Graphs that {@code torch.compile} compiled: their code is played statement by statement, and around it what autograd
 * does for one compiled function. Begin with {@code CodePlayer}; what a library call takes is a line of
 * {@code LibraryCalls}.
 */
@NullMarked
package dev.headroom.estimator.op.compiled;

import org.jspecify.annotations.NullMarked;
