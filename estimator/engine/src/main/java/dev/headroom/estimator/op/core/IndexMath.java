package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.Tensor;

/** How kernels count elements. */
public final class IndexMath {
    private IndexMath() {}

    /** {@code canUse32BitIndexMath} (ATen/native/CanUse32BitIndexMath.cpp). */
    public static boolean fits32Bits(Tensor t) {
        long last = 0;
        for (int d = 0; d < t.dim(); d++) {
            last += (t.size(d) - 1) * t.stride(d);
        }
        return t.numel() < Integer.MAX_VALUE && last < Integer.MAX_VALUE;
    }
}
