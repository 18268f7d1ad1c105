/** Activation checkpointing as torch/utils/checkpoint.py does it: regions that run again in the backward pass. */
package dev.headroom.executor.checkpoint;
