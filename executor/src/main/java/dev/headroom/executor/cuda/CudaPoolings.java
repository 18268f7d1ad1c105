package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.PoolingKernels;

final class CudaPoolings implements PoolingKernels {}
