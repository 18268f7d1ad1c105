/** Loaders: batches that come while others are there, smaller last ones, a summary's pass; see {@code Feeder}. */
@NullMarked
package dev.headroom.estimator.feed;

import org.jspecify.annotations.NullMarked;
