/** Activation checkpoints on the shadow runtime: forward once without keeping, again in the backward pass. */
package dev.headroom.estimator.checkpoint;
