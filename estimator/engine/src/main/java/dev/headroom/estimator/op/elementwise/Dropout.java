package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Dropout (ATen/native/Dropout.cpp, ATen/native/cuda/Dropout.cu). */
public final class Dropout {
    private Dropout() {}

    /**
     * The fused kernel makes the mask first and keeps only it. Its backward pass suggests a memory format for the
     * result (masked_scale_kernel), so that a gradient in any other layout comes out contiguous.
     */
    public static Tensor dropout(EagerRuntime rt, Tensor x, double p, boolean train) {
        if (p == 0 || !train || x.numel() == 0) {
            return x;
        }
        if (p == 1) {
            return Pointwise.mul(rt, x, rt.empty(x.dtype()));
        }
        Recorder r = rt.record("NativeDropoutBackward0", x);
        Tensor mask = rt.emptyLike(x, DType.BOOL);
        Tensor out = rt.emptyLike(x);
        Saved kept = r.saveOutput(mask);
        r.gradient(0, g -> {
                    kept.get();
                    return scaled(rt, g);
                })
                .again(grads -> new Tensor[] {masked(rt, grads[0], kept.get())})
                .output(out);
        r.nonDifferentiable(mask);
        rt.free(mask);
        return out;
    }

    private static Tensor scaled(EagerRuntime rt, Tensor g) {
        MemoryFormat format = Copies.suggestsChannelsLast(g) ? MemoryFormat.PRESERVE : MemoryFormat.CONTIGUOUS;
        return rt.emptyStrided(g.dtype(), g.sizes(), Copies.strides(g, format));
    }

    /** {@code infinitely_differentiable_native_dropout_backward}: {@code grad * (mask.type_as(grad) * scale)}. */
    private static Tensor masked(EagerRuntime rt, Tensor g, Tensor mask) {
        Tensor factors = Copies.to(rt, mask, g.dtype());
        Tensor scaled = Pointwise.mul(rt, factors, rt.wrappedNumber(DType.FLOAT32));
        rt.free(factors);
        Tensor out = Pointwise.mul(rt, g, scaled);
        rt.free(scaled);
        return out;
    }

    /**
     * Dropout.cpp, _dropout_impl: noise in the input's layout (or one number a feature), multiplied with the input,
     * which keeps the noise; alpha dropout adds a shift made from the noise.
     */
    static Tensor multiplied(Call c, boolean feature, boolean alpha) {
        EagerRuntime rt = c.runtime();
        boolean inPlace = c.has("self");
        Tensor x = c.tensor("self", "input");
        if (c.number("p", 0.5) == 0 || !c.flag("train", false) || x.numel() == 0) {
            return x;
        }
        if (c.number("p", 0.5) == 1) {
            Tensor zero = rt.empty(x.dtype());
            return inPlace ? Pointwise.mulInPlace(rt, x, zero) : Pointwise.mul(rt, x, zero);
        }
        Tensor noise = feature ? rt.empty(x.dtype(), features(x)) : rt.emptyLike(x);
        Tensor shift = alpha ? Pointwise.op(rt, noise) : null;
        Tensor out = inPlace ? Pointwise.mulInPlace(rt, x, noise) : Pointwise.mul(rt, x, noise);
        if (shift != null) {
            Pointwise.addInPlace(rt, out, shift, false);
        }
        rt.free(shift);
        rt.free(noise);
        return out;
    }

    private static long[] features(Tensor x) {
        long[] sizes = x.sizes().clone();
        for (int i = 2; i < sizes.length; i++) {
            sizes[i] = 1;
        }
        return sizes;
    }
}
