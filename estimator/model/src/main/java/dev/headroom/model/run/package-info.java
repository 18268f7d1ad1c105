/**
 * What prediction and measurement share about a run without sharing how it goes: the graph made ready for a scenario
 * ({@link dev.headroom.model.run.PreparedRun}), the names of phases, the moments of a run, and what the allocator held
 * at the end of each phase. Both sides play the same phases in the same order, so that their results can be laid beside
 * each other and beside a recording of PyTorch.
 */
@NullMarked
package dev.headroom.model.run;

import org.jspecify.annotations.NullMarked;
