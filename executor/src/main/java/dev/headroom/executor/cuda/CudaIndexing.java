package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.IndexingKernels;

final class CudaIndexing implements IndexingKernels {}
