/** Activation checkpointing as torch/utils/checkpoint.py does it: regions that run again in the backward pass. */
@NullMarked
package dev.headroom.executor.checkpoint;

import org.jspecify.annotations.NullMarked;
