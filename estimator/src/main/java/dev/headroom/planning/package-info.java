/** Which modules to checkpoint: plans between memory and recomputation; see {@link dev.headroom.planning.CheckpointPlanner}. */
package dev.headroom.planning;
