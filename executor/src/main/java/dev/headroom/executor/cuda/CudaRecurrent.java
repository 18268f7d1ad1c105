package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.RecurrentKernels;

final class CudaRecurrent implements RecurrentKernels {}
