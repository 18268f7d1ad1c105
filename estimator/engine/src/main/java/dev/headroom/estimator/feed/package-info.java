/** Loaders: batches that come while others are there, smaller last ones, a summary's pass; see {@code Feeder}. */
package dev.headroom.estimator.feed;
