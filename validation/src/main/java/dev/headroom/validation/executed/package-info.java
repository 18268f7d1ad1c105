/**
 * The executor held against recordings of whole runs: which archives it runs on the memory-only backend, and whether
 * every phase takes what PyTorch's took. {@link dev.headroom.validation.executed.ExecutorReport} lists the operators
 * that it lacks, by the archives that each keeps from running.
 */
@NullMarked
package dev.headroom.validation.executed;

import org.jspecify.annotations.NullMarked;
