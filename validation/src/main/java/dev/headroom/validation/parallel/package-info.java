/**
 * Ranks of parallel training beside recordings of them. {@link dev.headroom.validation.parallel.RankComparison}
 * compares one run, phase by phase and event by event. {@link dev.headroom.validation.parallel.ParallelReport} prints a folder.
 */
@NullMarked
package dev.headroom.validation.parallel;

import org.jspecify.annotations.NullMarked;
