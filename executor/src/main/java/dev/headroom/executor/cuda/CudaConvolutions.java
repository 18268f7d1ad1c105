package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.ConvolutionKernels;

final class CudaConvolutions implements ConvolutionKernels {}
