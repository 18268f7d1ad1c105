package dev.headroom.executor.host;

import dev.headroom.executor.kernel.PoolingKernels;

final class HostPoolings implements PoolingKernels {
    private final HostArrays arrays;

    HostPoolings(HostArrays arrays) {
        this.arrays = arrays;
    }
}
