/**
 * Loaders: batches that come while others are there, smaller last ones, a summary's pass; see {@code Feeder}. It is
 * chosen by what a scenario says of its data ({@code model.feed}).
 */
@NullMarked
package dev.headroom.estimator.feed;

import org.jspecify.annotations.NullMarked;
