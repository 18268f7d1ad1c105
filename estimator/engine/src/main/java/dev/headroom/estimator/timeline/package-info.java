/**
 * A run that was played, seen event by event: which tensors are alive when, whose they are, and where they lie in the
 * allocator's segments. It is read off the log of a simulation; only segments are found by asking a fresh allocator the
 * same requests again.
 */
@NullMarked
package dev.headroom.estimator.timeline;

import org.jspecify.annotations.NullMarked;
