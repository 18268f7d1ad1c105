/**
 * Losses: of class numbers, and of values that are compared element by element.
 * {@link dev.headroom.executor.op.loss.LossOperators} registers them and offers those that the training loop calls.
 */
@NullMarked
package dev.headroom.executor.op.loss;

import org.jspecify.annotations.NullMarked;
