package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.elementwise.Dropout;
import dev.headroom.estimator.op.matmul.Matmul;
import dev.headroom.estimator.op.normalization.Softmax;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.function.Supplier;

/** Attention out of matrix products (ATen/native/transformers/attention.cpp, _scaled_dot_product_attention_math). */
final class MathAttention {
    private MathAttention() {}

    /** The weights, which are returned too, are let go of by the caller before it goes on. */
    static Tensor apply(EagerRuntime rt, AttentionCall c) {
        return operator(rt, () -> computed(rt, c));
    }

    /** Half types are computed in float32. */
    private static Tensor computed(EagerRuntime rt, AttentionCall c) {
        DType origin = c.query().dtype();
        DType type = origin.isReducedFloat() ? DType.FLOAT32 : origin;
        Frame scope = rt.frame();
        try {
            Tensor q0 = Copies.to(rt, c.query(), type);
            Tensor k0 = Copies.to(rt, c.key(), type);
            Tensor v0 = Copies.to(rt, c.value(), type);
            Tensor q = scaled(rt, q0);
            Tensor mask = c.causal() ? causal(rt, q.size(-2), k0.size(-2), q.dtype()) : c.mask();
            long heads = q.size(-3);
            boolean repeats = c.grouped() && (heads != k0.size(-3) || heads != v0.size(-3));
            Tensor k = repeats ? repeat(rt, k0, heads / k0.size(-3)) : k0;
            Tensor v = repeats ? repeat(rt, v0, heads / v0.size(-3)) : v0;
            Tensor weights = operator(rt, () -> {
                Tensor turned = Views.transpose(rt, k, -2, -1);
                return Matmul.matmul(rt, q, scaled(rt, turned));
            });
            if (mask != null) {
                Pointwise.addInPlace(rt, weights, mask, false);
            }
            Tensor softmax = safeSoftmax(rt, weights);
            rt.free(weights);
            Tensor dropped = Dropout.dropout(rt, softmax, c.dropout(), true);
            rt.freeUnless(softmax, dropped);
            // The weights have the type of the query, too; the last of a call's arguments is evaluated first.
            scope.keep(Copies.to(rt, dropped, origin));
            Tensor product = operator(rt, () -> Matmul.matmul(rt, dropped, v));
            return scope.keep(Copies.to(rt, product, origin));
        } finally {
            scope.close();
        }
    }

    /** Runs an operator that has local variables of its own. */
    private static Tensor operator(EagerRuntime rt, Supplier<Tensor> body) {
        Frame f = rt.frame();
        try {
            return f.keep(body.get());
        } finally {
            f.close();
        }
    }

    private static Tensor scaled(EagerRuntime rt, Tensor t) {
        return Pointwise.mul(rt, t, rt.wrappedNumber(DType.FLOAT32));
    }

    private static Tensor causal(EagerRuntime rt, long rows, long columns, DType type) {
        Tensor ones = rt.empty(DType.BOOL, rows, columns);
        Tensor lower = rt.empty(DType.BOOL, rows, columns);
        rt.free(ones);
        Tensor mask = ScaledDotProduct.additive(rt, lower, type);
        rt.free(lower);
        return mask;
    }

    /** {@code repeat_interleave} along the heads (ATen/native/Repeat.cpp); what is repeated once is copied as well. */
    private static Tensor repeat(EagerRuntime rt, Tensor t, long times) {
        return operator(rt, () -> {
            Tensor apart = Views.unsqueeze(rt, t, 2);
            Tensor wide = Views.expand(rt, apart, t.size(0), t.size(1), times, t.size(2), t.size(3));
            return Views.flatten(rt, Copies.cloneContiguous(rt, wide), 1, 2);
        });
    }

    /** {@code _safe_softmax}: rows that are masked out everywhere become zero instead of not-a-number. */
    private static Tensor safeSoftmax(EagerRuntime rt, Tensor x) {
        Recorder r = rt.record("SafeSoftmaxBackward0", x);
        Tensor out = rt.empty(x.dtype(), x.sizes());
        Tensor infinite = Strided.result(rt, DType.BOOL, x);
        Tensor rows = Reductions.reduce(
                rt, infinite, Reductions.mask(new long[] {-1}, x.dim()), true, DType.BOOL, DType.BOOL.bytes());
        Tensor zero = rt.empty(x.dtype());
        rt.free(zero);
        rt.free(rows);
        rt.free(infinite);
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> Softmax.backward(rt, g, result.get(), x.dtype(), true))
                .output(out);
    }
}
