/** Which modules to checkpoint: plans between memory and recomputation; see {@link dev.headroom.advisor.checkpoints.CheckpointPlanner}. */
package dev.headroom.advisor.checkpoints;
