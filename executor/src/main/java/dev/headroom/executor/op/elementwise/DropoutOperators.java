package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/** {@code aten.dropout} and its like (aten/src/ATen/native/Dropout.cpp, aten/src/ATen/native/cuda/Dropout.cu). */
public final class DropoutOperators {
    private static final Formula MASKED =
            new Formula("masked_scale", "y0 = x0 * x1 * s0;", (x, s, y) -> y[0] = x[0] * x[1] * s[0]);

    /** Numbers: alpha, scaled, and how likely it is to be dropped. */
    private static final Formula SHIFT = new Formula(
            "alpha_shift", "y0 = (x0 - 1) * s0 + s0 * s1;", (x, s, y) -> y[0] = (x[0] - 1) * s[0] + s[0] * s[1]);

    private DropoutOperators() {}

    public static void register(Operators o) {
        o.add1("aten.dropout", (e, a) -> dropout(e, a, false, false));
        o.add1("aten.dropout_", (e, a) -> dropout(e, a, true, false));
        o.add1("aten.feature_dropout", (e, a) -> dropout(e, a, false, true));
        o.add1("aten.feature_dropout_", (e, a) -> dropout(e, a, true, true));
        o.add1("aten.alpha_dropout", (e, a) -> alphaDropout(e, a, false, false));
        o.add1("aten.alpha_dropout_", (e, a) -> alphaDropout(e, a, true, false));
        o.add1("aten.feature_alpha_dropout", (e, a) -> alphaDropout(e, a, false, true));
        o.add1("aten.feature_alpha_dropout_", (e, a) -> alphaDropout(e, a, true, true));
        o.add1("aten.bernoulli_", (e, a) -> bernoulli(e, a.tensor("self"), a.real("p", 0.5)));
    }

    private static Tensor dropout(Eager e, Arguments a, boolean inPlace, boolean features) {
        Tensor x = a.tensor(inPlace ? "self" : "input");
        double p = a.real("p", 0.5);
        if (p == 0 || !a.flag("train", true) || x.elements() == 0) {
            return x;
        }
        if (p < 1 && !inPlace && !features) {
            return fused(e, x, p);
        }
        // _dropout_impl: noise that is scaled, then a product
        return e.call(() -> {
            if (p == 1) {
                return nothing(e, x, inPlace);
            }
            Tensor noise = noise(e, x, p, features);
            Elementwise.into(e, Scaling.SCALE, new double[] {1 / (1 - p)}, noise, noise);
            noise.storage().changed();
            return ArithmeticOperators.times(e, x, noise, inPlace);
        });
    }

    /** A product with zero, where all is dropped. */
    private static Tensor nothing(Eager e, Tensor x, boolean inPlace) {
        Tensor zero = e.empty(x.dtype());
        Elementwise.fill(e, zero, 0);
        return ArithmeticOperators.times(e, x, zero, inPlace);
    }

    /** What is kept: each element for itself, or each channel. */
    private static Tensor noise(Eager e, Tensor x, double p, boolean features) {
        long[] sizes = x.sizes().clone();
        if (features) {
            Arrays.fill(sizes, 2, sizes.length, 1);
        }
        Tensor noise = features ? e.empty(x.dtype(), sizes) : e.emptyLike(x);
        bernoulli(e, noise, 1 - p);
        return noise;
    }

    /** What is dropped becomes the least value of {@code selu}, and mean and variance are put right. */
    private static Tensor alphaDropout(Eager e, Arguments a, boolean inPlace, boolean features) {
        Tensor x = a.tensor(inPlace ? "self" : "input");
        double p = a.real("p", 0.5);
        if (p == 0 || !a.flag("train", true) || x.elements() == 0) {
            return x;
        }
        return e.call(() -> {
            if (p == 1) {
                return nothing(e, x, inPlace);
            }
            double alpha = 1.7580993408473766;
            double scale = 1 / Math.sqrt((alpha * alpha * p + 1) * (1 - p));
            Tensor noise = noise(e, x, p, features);
            Tensor shift = Elementwise.unary(e, SHIFT, noise, alpha * scale, p);
            Elementwise.into(e, Scaling.SCALE, new double[] {scale}, noise, noise);
            noise.storage().changed();
            Tensor out = ArithmeticOperators.times(e, x, noise, inPlace);
            Elementwise.into(e, Elementwise.ADD, out, out, shift);
            out.storage().changed();
            e.free(shift);
            return out;
        });
    }

    /** {@code dropout} with a probability between 0 and 1, while training. */
    public static Tensor dropout(Eager e, Tensor x, double p) {
        return fused(e, x, p);
    }

    /** native_dropout: one kernel makes the result and the mask that it keeps. */
    private static Tensor fused(Eager e, Tensor x, double p) {
        Recorder r = e.record("NativeDropoutBackward0", x);
        double[] scale = {1 / (1 - p)};
        Tensor mask = e.emptyLike(x, DType.BOOL);
        Tensor out = e.emptyLike(x);
        e.backend().random().bernoulli(mask, 1 - p, e.randomness().next());
        Elementwise.into(e, MASKED, scale, out, x, mask);
        SavedTensor saved = r.saveOutput(mask);
        return r.backward(g -> {
                    Tensor kept = saved.get();
                    // masked_scale_kernel suggests a format for its result: channels last, or else row-major.
                    boolean rows = Formats.suggested(g[0]) == MemoryFormat.CONTIGUOUS;
                    Tensor mine = rows ? e.empty(g[0].dtype(), g[0].sizes()) : e.emptyLike(g[0]);
                    Elementwise.into(e, MASKED, scale, mine, g[0], kept);
                    return new Tensor[] {mine};
                })
                .output(out);
    }

    private static Tensor bernoulli(Eager e, Tensor t, double p) {
        e.backend().random().bernoulli(t, p, e.randomness().next());
        t.storage().changed();
        return t;
    }
}
