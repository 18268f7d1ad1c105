/** Which operators activation checkpoints wrap: the pure transformation of graphs, see {@link dev.headroom.model.checkpoint.CheckpointPlan}. */
package dev.headroom.model.checkpoint;
