/**
 * How tensors are divided: into buckets of a size, into chunks that are copied together, among ranks, and in rows. All
 * of it is arithmetic over sizes; nothing here knows a runtime.
 */
@NullMarked
package dev.headroom.estimator.parallel.layout;

import org.jspecify.annotations.NullMarked;
