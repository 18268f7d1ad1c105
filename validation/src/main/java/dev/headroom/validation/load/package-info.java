/**
 * How much the service bears: {@link dev.headroom.validation.load.LoadService} is a program, not a test. It asks a
 * running service at a steady rate and prints statuses, latencies and the heap.
 */
@NullMarked
package dev.headroom.validation.load;

import org.jspecify.annotations.NullMarked;
