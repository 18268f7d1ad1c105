package dev.headroom.executor.kernel;

/** Softmax kernels. */
public interface SoftmaxKernels {}
