/**
 * What ATen's operators do to memory: the list of all that have a rule, how each was verified against PyTorch, and the
 * arithmetic that the backward engine and the optimizers call by themselves. Each family of operators has a package; a
 * family knows {@code rule} and {@code core} and a few families below it, never the list.
 */
@NullMarked
package dev.headroom.estimator.op;

import org.jspecify.annotations.NullMarked;
