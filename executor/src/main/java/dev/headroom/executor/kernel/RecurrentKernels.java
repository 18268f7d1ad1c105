package dev.headroom.executor.kernel;

/** Recurrent kernels. */
public interface RecurrentKernels {}
