/** Losses, as operators and as the training loop calls them. */
package dev.headroom.estimator.op.loss;
