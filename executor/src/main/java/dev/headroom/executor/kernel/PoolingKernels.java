package dev.headroom.executor.kernel;

/** Pooling kernels. */
public interface PoolingKernels {}
