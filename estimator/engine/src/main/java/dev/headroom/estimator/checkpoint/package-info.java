/**
 * Activation checkpoints: forward once without keeping, again in the backward pass. Begin with
 * {@link dev.headroom.estimator.checkpoint.Checkpoint}, which has two implementations as {@code use_reentrant} has two
 * values.
 */
@NullMarked
package dev.headroom.estimator.checkpoint;

import org.jspecify.annotations.NullMarked;
