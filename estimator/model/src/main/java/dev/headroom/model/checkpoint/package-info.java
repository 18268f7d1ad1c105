/**
 * Which operators activation checkpoints wrap: where {@code torch.utils.checkpoint} would be called, read off the
 * graph's module calls. {@link CheckpointPlan} is the result, a graph with {@link Region}s; {@link ModulePatterns}
 * reads the user's patterns, {@link ProgramCheckpoints} what the program itself does. What a checkpoint does when it
 * runs is written twice, in the engine and in the executor.
 */
@NullMarked
package dev.headroom.model.checkpoint;

import org.jspecify.annotations.NullMarked;
