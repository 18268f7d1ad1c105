/** Losses, as operators and as the training loop calls them. */
@NullMarked
package dev.headroom.estimator.op.loss;

import org.jspecify.annotations.NullMarked;
