package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.AttentionKernels;

final class CudaAttention implements AttentionKernels {}
