package dev.headroom.executor.kernel;

/** Normalization kernels. */
public interface NormalizationKernels {}
