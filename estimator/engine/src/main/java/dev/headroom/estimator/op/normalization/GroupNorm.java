package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.GradNode;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Group normalisation (ATen/native/group_norm.cpp, ATen/native/cuda/group_norm_kernel.cu). */
final class GroupNorm {
    private GroupNorm() {}

    static Tensor run(Call c, long groups) {
        EagerRuntime rt = c.runtime();
        boolean anyLayout = rt.options().torch().groupNormTakesAnyLayout();
        Tensor x = anyLayout ? c.tensor("input") : Copies.contiguous(rt, c.tensor("input"));
        Tensor w = c.tensorOrNull("weight");
        Tensor b = c.tensorOrNull("bias");
        // The input is kept as it is, but the kernel works on a contiguous copy and gives a contiguous result.
        Recorder r = rt.record("NativeGroupNormBackward0", x, w, b);
        Saved input = r.save(x);
        Saved weight = r.save(w);
        long batch = x.size(0);
        long channels = x.size(1);
        boolean single = x.numel() == batch * channels;
        Tensor out = rt.empty(x.dtype(), x.sizes());
        Tensor mean = rt.empty(x.dtype(), batch, groups);
        Tensor deviation = rt.empty(x.dtype(), batch, groups);
        Tensor dense = Copies.dense(rt, x);
        scale(rt, x.dtype(), w != null || b != null, single, batch, channels, groups);
        rt.freeUnless(dense, x);
        Saved means = r.saveOutput(mean);
        Saved deviations = r.saveOutput(deviation);
        GradNode.Backward differentiable = grads -> GroupNormTwice.backward(
                rt, grads, input.get(), means.get(), deviations.get(), weight.getOrNull(), groups, new boolean[] {
                    r.needs(0), r.needs(1), r.needs(2)
                });
        r.gradients(grads -> grads[1] == null && grads[2] == null
                        ? backward(rt, r, grads[0], input.get(), weight.getOrNull(), groups, single)
                        : differentiable.apply(grads))
                .again(differentiable)
                .output(out);
        r.output(mean);
        r.output(deviation);
        rt.free(mean);
        rt.free(deviation);
        return out;
    }

    /** GroupNormKernelImplInternal: factor and offset of each image's channels, when there are any to apply. */
    private static void scale(
            EagerRuntime rt, DType type, boolean affine, boolean single, long batch, long channels, long groups) {
        boolean reduced = type.isReducedFloat() && rt.options().torch().groupNormTakesAnyLayout();
        DType wide = BatchNorm.statistics(type);
        Tensor wideMean = reduced ? rt.empty(wide, batch, groups) : null;
        Tensor wideDeviation = reduced ? rt.empty(wide, batch, groups) : null;
        Tensor a = affine && !single ? rt.empty(wide, batch, channels) : null;
        Tensor b = affine && !single ? rt.empty(wide, batch, channels) : null;
        rt.free(b);
        rt.free(a);
        rt.free(wideDeviation);
        rt.free(wideMean);
    }

    private static Tensor[] backward(
            EagerRuntime rt, Recorder r, Tensor g0, Tensor x0, @Nullable Tensor w, long groups, boolean single) {
        Tensor[] out = new Tensor[3];
        if (g0 == null) {
            return out;
        }
        Tensor g = Copies.dense(rt, g0);
        Tensor x = Copies.dense(rt, x0);
        long batch = x.size(0);
        long channels = x.size(1);
        if (r.needs(0)) {
            out[0] = rt.empty(x.dtype(), x.sizes());
        }
        for (int k = 1; k < 3; k++) {
            int i = x.numel() == 0 ? 3 - k : k; // zeros, as arguments of one call: made from the last
            if (r.needs(i)) {
                out[i] = rt.empty(w == null ? x.dtype() : w.dtype(), channels);
            }
        }
        DType wide = BatchNorm.statistics(x.dtype());
        boolean sums = !single || !rt.options().torch().groupNormTakesAnyLayout();
        Tensor ds = sums ? rt.empty(wide, batch, channels) : null;
        Tensor db = sums ? rt.empty(wide, batch, channels) : null;
        if (r.needs(0)) {
            Tensor c2 = rt.empty(wide, batch, groups);
            Tensor c3 = rt.empty(wide, batch, groups);
            Tensor c1 = w == null || single ? null : rt.empty(wide, batch, channels);
            rt.free(c3);
            rt.free(c2);
            rt.free(c1);
        }
        rt.free(db);
        rt.free(ds);
        rt.freeUnless(x, x0);
        rt.freeUnless(g, g0);
        return out;
    }
}
