package dev.headroom.executor.host;

import dev.headroom.executor.kernel.NormalizationKernels;

final class HostNormalizations implements NormalizationKernels {
    private final HostArrays arrays;

    HostNormalizations(HostArrays arrays) {
        this.arrays = arrays;
    }
}
