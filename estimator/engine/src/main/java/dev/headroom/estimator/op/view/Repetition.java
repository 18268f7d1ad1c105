package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Arrays;

/** Tensors repeated along their dimensions (ATen/native/TensorShape.cpp, ATen/native/Repeat.cpp). */
public final class Repetition {
    private Repetition() {}

    static Tensor tile(EagerRuntime rt, Tensor t, long[] dims) {
        long[] repeats = new long[Math.max(dims.length, t.dim())];
        Arrays.fill(repeats, 1);
        System.arraycopy(dims, 0, repeats, repeats.length - dims.length, dims.length);
        return repeat(rt, t, repeats);
    }

    /** {@code repeat}; the gradient is a sum over the copies (FunctionsManual.cpp, repeat_backward). */
    public static Tensor repeat(EagerRuntime rt, Tensor t, long... repeats) {
        int extra = repeats.length - t.dim();
        long[] sizes = new long[repeats.length];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = (i < extra ? 1 : t.size(i - extra)) * repeats[i];
        }
        Recorder r = rt.record("RepeatBackward0", t);
        Tensor out = rt.empty(t.dtype(), sizes);
        long[] original = t.sizes();
        return r.gradient(0, g -> backward(rt, g, original, repeats)).output(out);
    }

    /** Leading copies are summed away first, then each dimension is split into copies and size. */
    private static Tensor backward(EagerRuntime rt, Tensor g, long[] sizes, long[] repeats) {
        int extra = repeats.length - sizes.length;
        Tensor grad = g;
        if (extra > 0) {
            boolean[] lead = new boolean[g.dim()];
            Arrays.fill(lead, 0, extra, true);
            grad = Reductions.reduce(rt, g, lead, false, g.dtype(), Reductions.accumulator(g.dtype()));
        }
        long[] split = new long[2 * sizes.length];
        boolean[] mask = new boolean[split.length];
        int n = 0;
        boolean any = false;
        for (int i = 0; i < sizes.length; i++) {
            long copies = repeats[extra + i];
            if (copies != 1) {
                mask[n] = true;
                split[n++] = copies;
                any = true;
            }
            split[n++] = sizes[i];
        }
        if (!any) {
            return grad;
        }
        Tensor parts = Views.reshape(rt, grad, Arrays.copyOf(split, n));
        return Reductions.reduce(
                rt, parts, Arrays.copyOf(mask, n), false, g.dtype(), Reductions.accumulator(g.dtype()));
    }
}
