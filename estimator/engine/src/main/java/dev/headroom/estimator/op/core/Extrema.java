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
     * What the host takes to read one end of all elements, and then the other, in versions that do not {@linkplain
     * dev.headroom.model.scenario.TorchVersion#readsBothEnds read both at once}.
     *
     * @param compared whether each is compared with a number on the device
     */
    private static void readInTurn(EagerRuntime rt, Tensor t, boolean compared) {
        boolean[] all = Reductions.mask(null, t.dim());
        for (int i = 0; i < 2; i++) {
            Tensor end = Reductions.reduce(rt, t, all, false, t.dtype(), t.dtype().bytes());
            compare(rt, compared);
            rt.free(end);
        }
    }

    /** The same where both are read at once. */
    private static void readBoth(EagerRuntime rt, Tensor t, boolean compared) {
        Tensor[] ends = both(rt, t, Reductions.mask(null, t.dim()), false);
        compare(rt, compared);
        compare(rt, compared);
        rt.free(ends[0]);
        rt.free(ends[1]);
    }

    /** What the host takes to read both ends of all elements. */
    public static void read(EagerRuntime rt, Tensor t, boolean compared) {
        if (rt.options().torch().readsBothEnds()) {
            readBoth(rt, t, compared);
        } else {
            readInTurn(rt, t, compared);
        }
    }

    private static void compare(EagerRuntime rt, boolean compared) {
        if (compared) {
            rt.free(rt.empty(DType.BOOL));
        }
    }
}
