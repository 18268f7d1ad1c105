/** Loaders: batches that come while others are there, smaller last ones, a summary's pass. Begin with {@code Feeder}. */
package dev.headroom.estimator.feed;
