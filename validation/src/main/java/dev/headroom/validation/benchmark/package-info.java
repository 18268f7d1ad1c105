/**
 * Benchmarks (JMH) of predictions. They are run by hand, never by tests; the page of the module says how.
 */
@NullMarked
package dev.headroom.validation.benchmark;

import org.jspecify.annotations.NullMarked;
