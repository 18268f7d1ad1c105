/**
 * Activation checkpointing as torch/utils/checkpoint.py does it: regions that run again in the backward pass.
 * {@link dev.headroom.executor.checkpoint.NonReentrantCheckpoint} and
 * {@link dev.headroom.executor.checkpoint.ReentrantCheckpoint} are the two ways; {@code Surroundings} brings back what
 * the region saw the first time.
 */
@NullMarked
package dev.headroom.executor.checkpoint;

import org.jspecify.annotations.NullMarked;
