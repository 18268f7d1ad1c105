/**
 * Which modules to recompute: plans between memory and recomputation. {@link CheckpointPlanner} reads the costs of a
 * model's stages off one play, solves the choice of checkpoints by dynamic programs, and plays every plan before it is
 * reported.
 */
@NullMarked
package dev.headroom.advisor.checkpoints;

import org.jspecify.annotations.NullMarked;
