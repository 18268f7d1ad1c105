package dev.headroom.executor.op.attention;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.elementwise.DropoutOperators;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.op.reduction.SoftmaxOperators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import org.jspecify.annotations.Nullable;

/** Attention from plain operators (transformers/attention.cpp, _scaled_dot_product_attention_math). */
final class MathAttention {
    private static final Formula IS_HIDDEN =
            Formula.unary("isneginf", "x0 < 0 && isinf(x0)", x -> x == Double.NEGATIVE_INFINITY ? 1 : 0);
    private static final Formula ZERO_WHERE =
            Formula.binary("zero_where", "x1 != 0 ? (real) 0 : x0", (x, hidden) -> hidden != 0 ? 0 : x);

    private MathAttention() {}

    static Tensor attention(
            Eager e,
            Tensor q,
            Tensor k,
            Tensor v,
            @Nullable Tensor bias,
            double dropout,
            boolean causal,
            double scale) {
        DType type = q.dtype();
        if (!type.isReducedFloat()) {
            return computed(e, q, k, v, bias, dropout, causal, scale, type);
        }
        // Half precision is too coarse for the intermediate results.
        Tensor wideQ = Copies.to(e, q, DType.FLOAT32);
        Tensor wideK = Copies.to(e, k, DType.FLOAT32);
        Tensor wideV = Copies.to(e, v, DType.FLOAT32);
        Tensor wideBias = bias == null ? null : Copies.to(e, bias, DType.FLOAT32);
        return computed(e, wideQ, wideK, wideV, wideBias, dropout, causal, scale, type);
    }

    private static Tensor computed(
            Eager e,
            Tensor q,
            Tensor k,
            Tensor v,
            @Nullable Tensor bias,
            double dropout,
            boolean causal,
            double scale,
            DType type) {
        double factor = Math.sqrt(Math.abs(scale));
        Tensor scaledQ = scaled(e, q, scale < 0 ? -factor : factor);
        Tensor added = bias;
        if (causal) {
            added = e.call(() -> {
                Tensor ones = e.empty(DType.BOOL, q.size(-2), k.size(-2));
                Elementwise.fill(e, ones, 1);
                Tensor seen = e.empty(DType.BOOL, ones.sizes());
                e.backend().indexing().triangle(seen, ones, 0, false);
                e.free(ones);
                return AttentionOperators.additive(e, seen, q.dtype());
            });
        }
        long groups = q.size(-3) / k.size(-3);
        Tensor allK = repeated(e, k, groups);
        Tensor allV = repeated(e, v, groups);
        Tensor weights = e.call(() -> Matmul.matmul(e, scaledQ, scaled(e, Views.transpose(e, allK, -2, -1), factor)));
        if (added != null) {
            addInPlace(e, weights, added);
        }
        Tensor soft = safeSoftmax(e, weights);
        e.free(weights);
        if (dropout > 0) {
            Tensor given = soft;
            Tensor kept = e.call(() -> DropoutOperators.dropout(e, given, dropout));
            e.free(soft);
            soft = kept;
        }
        // The weights are a second result, converted before the first is computed: arguments of make_tuple.
        Copies.to(e, soft, type);
        return Copies.to(e, Matmul.matmul(e, soft, allV), type);
    }

    /** {@code repeat_interleave} of heads. */
    private static Tensor repeated(Eager e, Tensor t, long times) {
        if (times == 1) {
            return t;
        }
        return e.call(() -> {
            Tensor wide = Views.unsqueeze(e, t, 2);
            Tensor all = Views.expand(e, wide, t.size(0), t.size(1), times, t.size(2), t.size(3));
            Tensor copy = Copies.clone(e, all, MemoryFormat.CONTIGUOUS);
            return Views.view(e, copy, t.size(0), t.size(1) * times, t.size(2), t.size(3));
        });
    }

    private static Tensor scaled(Eager e, Tensor t, double factor) {
        Recorder r = e.record("MulBackward1", t);
        return r.backward(g -> new Tensor[] {Scaling.times(e, g[0], factor)}).output(Scaling.times(e, t, factor));
    }

    private static void addInPlace(Eager e, Tensor t, Tensor added) {
        Recorder r = e.record("AddBackward0", t, added);
        Elementwise.into(e, Elementwise.ADD, t, t, added);
        r.backward(g -> new Tensor[] {g[0], g[0]});
        r.changed(t);
    }

    /** {@code _safe_softmax}: rows that see nothing are zeros. */
    private static Tensor safeSoftmax(Eager e, Tensor x) {
        Recorder r = e.record("SafeSoftmaxBackward0", x);
        int dim = x.dims() - 1;
        Tensor out = e.empty(x.dtype(), x.sizes());
        e.backend().softmaxes().softmax(out, x, dim, false);
        try (Scope s = e.open()) {
            Tensor hidden = Elementwise.map(e, IS_HIDDEN, DType.BOOL, new double[0], x);
            long[] kept = x.sizes().clone();
            kept[dim] = 1;
            Tensor whole = Reductions.reduce(e, Kind.ALL, hidden, kept, DType.BOOL);
            e.empty(x.dtype()); // a zero
            Elementwise.into(e, ZERO_WHERE, out, out, whole);
        }
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> new Tensor[] {SoftmaxOperators.gradient(e, g[0], result.get(), dim, x.dtype(), false)})
                .output(out);
    }
}
