package dev.headroom.executor.kernel;

/** Attention kernels. */
public interface AttentionKernels {}
