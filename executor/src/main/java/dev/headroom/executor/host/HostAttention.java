package dev.headroom.executor.host;

import dev.headroom.executor.kernel.AttentionKernels;

final class HostAttention implements AttentionKernels {
    private final HostArrays arrays;

    HostAttention(HostArrays arrays) {
        this.arrays = arrays;
    }
}
