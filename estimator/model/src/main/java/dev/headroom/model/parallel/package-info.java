/**
 * Over how many GPUs a run is spread, and how: a record of records, part of a {@link
 * dev.headroom.model.scenario.Scenario}. Each way to spread a run has a record of its own options. What contradicts
 * itself is refused by {@link dev.headroom.model.scenario.check.ParallelChecks}.
 */
@NullMarked
package dev.headroom.model.parallel;

import org.jspecify.annotations.NullMarked;
