package dev.headroom.executor.kernel;

/** Convolution kernels. */
public interface ConvolutionKernels {}
