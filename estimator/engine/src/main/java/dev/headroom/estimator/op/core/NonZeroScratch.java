package dev.headroom.estimator.op.core;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** What counting the places that are not zero takes, and finding them (ATen/native/cuda/Nonzero.cu). */
public final class NonZeroScratch {
    /** Elements of a tile of cub::DeviceReduce and cub::DeviceSelect for flags. */
    private static final int TILE = 4096;

    private static final int THREADS = 256;

    private static final int SUBSCRIPTION = 5;

    private static final int ALIGN = 256;

    private static final int COUNT = 4;

    private static final int STATE = 8;

    private static final int STATE_PADDING = 32;

    private NonZeroScratch() {}

    /** Scratch that is gone again when this returns, for {@code n} elements. */
    public static void use(EagerRuntime rt, long n) {
        Tensor count = rt.empty(DType.INT32);
        long blocks = (long) rt.device().sms() * (rt.device().threadsPerSm() / THREADS) * SUBSCRIPTION;
        long sums = n <= TILE ? 1 : Bytes.ceilDiv(blocks * COUNT, ALIGN) * ALIGN + ALIGN - 1;
        rt.free(rt.scratch(sums));
        long states = (Bytes.ceilDiv(n, TILE) + STATE_PADDING) * STATE;
        rt.free(rt.scratch(Bytes.ceilDiv(states, ALIGN) * ALIGN + ALIGN + ALIGN - 1));
        rt.free(count);
    }
}
