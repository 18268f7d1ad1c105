/** Activation checkpointing: which operators are recomputed, and how PyTorch does it. */
package dev.headroom.checkpoint;
