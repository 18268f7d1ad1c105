package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.SoftmaxKernels;

final class CudaSoftmaxes implements SoftmaxKernels {}
