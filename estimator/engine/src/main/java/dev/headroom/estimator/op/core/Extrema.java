package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** The smallest and the largest element (ATen/native/cuda/ReduceMinValuesKernel.cu and ReduceMaxValuesKernel.cu). */
public final class Extrema {
    private Extrema() {}

    /** {@code aminmax}: both in one reduction, whose accumulators hold two numbers; not recorded. */
    public static Tensor[] both(EagerRuntime rt, Tensor t, boolean[] mask, boolean keep) {
        int width = t.dtype().bytes();
        long[] sizes = Reductions.reduced(t.sizes(), mask, keep);
        Tensor min = rt.empty(t.dtype(), sizes);
        Tensor max = rt.empty(t.dtype(), sizes);
        ReduceScratch.use(rt, t, mask, width, 2 * width);
        return new Tensor[] {min, max};
    }

    /**
     * What the host takes to read both ends of all elements.
     *
     * @param together whether {@code aminmax} finds them, rather than {@code max} and {@code min} in turn
     * @param compared whether each is compared with a number on the device
     */
    public static void read(EagerRuntime rt, Tensor t, boolean together, boolean compared) {
        boolean[] all = Reductions.mask(null, t.dim());
        if (together) {
            Tensor[] ends = both(rt, t, all, false);
            compare(rt, compared);
            compare(rt, compared);
            rt.free(ends[0]);
            rt.free(ends[1]);
            return;
        }
        for (int i = 0; i < 2; i++) {
            Tensor end =
                    Reductions.reduce(rt, t, all, false, t.dtype(), t.dtype().bytes());
            compare(rt, compared);
            rt.free(end);
        }
    }

    private static void compare(EagerRuntime rt, boolean compared) {
        if (compared) {
            rt.free(rt.empty(DType.BOOL));
        }
    }
}
