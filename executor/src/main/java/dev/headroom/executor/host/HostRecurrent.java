package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RecurrentKernels;

final class HostRecurrent implements RecurrentKernels {
    private final HostArrays arrays;

    HostRecurrent(HostArrays arrays) {
        this.arrays = arrays;
    }
}
