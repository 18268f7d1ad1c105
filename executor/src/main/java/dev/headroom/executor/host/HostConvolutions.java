package dev.headroom.executor.host;

import dev.headroom.executor.kernel.ConvolutionKernels;

final class HostConvolutions implements ConvolutionKernels {
    private final HostArrays arrays;

    HostConvolutions(HostArrays arrays) {
        this.arrays = arrays;
    }
}
