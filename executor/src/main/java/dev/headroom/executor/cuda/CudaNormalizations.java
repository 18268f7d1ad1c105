package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.NormalizationKernels;

final class CudaNormalizations implements NormalizationKernels {}
