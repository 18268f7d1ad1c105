package dev.headroom.advise;

import java.util.List;

/**
 * What to recompute.
 *
 * @param name in a few words
 * @param segments as in {@code TrainingRun.checkpoint}
 * @param modules as in {@code TrainingRun.checkpointModules}
 * @param cost of a step
 */
record Recomputation(String name, int segments, List<String> modules, Boolean reentrant, Cost cost) {}
