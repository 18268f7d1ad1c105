package dev.headroom.executor.host;

import dev.headroom.executor.kernel.IndexingKernels;

final class HostIndexing implements IndexingKernels {
    private final HostArrays arrays;

    HostIndexing(HostArrays arrays) {
        this.arrays = arrays;
    }
}
