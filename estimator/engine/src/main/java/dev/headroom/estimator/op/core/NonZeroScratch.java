package dev.headroom.estimator.op.core;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** What counting the places that are not zero takes, and finding them (ATen/native/cuda/Nonzero.cu). */
public final class NonZeroScratch {
    /** Elements of a tile of cub::DeviceReduce for flags. */
    private static final int TILE = 4096;

    private static final int THREADS = 256;

    private static final int SUBSCRIPTION = 5;

    private static final int ALIGN = 256;

    private static final int COUNT = 4;

    private NonZeroScratch() {}

    /** Scratch that is gone again when this returns, for {@code n} elements. */
    public static void use(EagerRuntime rt, long n) {
        Tensor count = rt.empty(DType.INT32);
        long blocks = (long) rt.device().sms() * (rt.device().threadsPerSm() / THREADS) * SUBSCRIPTION;
        long sums = n <= TILE ? 1 : Bytes.ceilDiv(blocks * COUNT, ALIGN) * ALIGN + ALIGN - 1;
        rt.free(rt.scratch(sums));
        rt.free(rt.scratch(CubScratch.flagged(rt.device(), n)));
        rt.free(count);
    }
}
