/** Which operators activation checkpoints wrap: the pure transformation of graphs, see {@link dev.headroom.checkpoint.CheckpointPlan}. */
package dev.headroom.checkpoint;
