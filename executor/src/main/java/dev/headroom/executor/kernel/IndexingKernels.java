package dev.headroom.executor.kernel;

/** Indexing kernels. */
public interface IndexingKernels {}
