/**
 * Losses, as operators and as the training loop calls them. {@code LossFunctions} has those that graphs hold,
 * {@link dev.headroom.estimator.op.loss.Losses} those that the loop puts behind a model's output.
 */
@NullMarked
package dev.headroom.estimator.op.loss;

import org.jspecify.annotations.NullMarked;
