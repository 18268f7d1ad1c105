package dev.headroom.executor.host;

import dev.headroom.executor.kernel.SoftmaxKernels;

final class HostSoftmaxes implements SoftmaxKernels {
    private final HostArrays arrays;

    HostSoftmaxes(HostArrays arrays) {
        this.arrays = arrays;
    }
}
