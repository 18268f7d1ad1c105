/** Activation checkpoints on the shadow runtime: forward once without keeping, again in the backward pass. */
@NullMarked
package dev.headroom.estimator.checkpoint;

import org.jspecify.annotations.NullMarked;
