/**
 * Ranks of parallel training beside recordings of them. One run is compared by
 * {@link dev.headroom.validation.parallel.RankComparison}, phase by phase and event by event; a folder is printed by
 * {@link dev.headroom.validation.parallel.ParallelReport}. Tests hold the project's own recordings to be equal.
 */
@NullMarked
package dev.headroom.validation.parallel;

import org.jspecify.annotations.NullMarked;
