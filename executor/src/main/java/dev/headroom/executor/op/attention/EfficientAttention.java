package dev.headroom.executor.op.attention;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.AttentionCall;
import dev.headroom.executor.kernel.AttentionCall.Spec;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory-efficient attention (transformers/cuda/attention.cu, _efficient_attention_forward; attention_backward.cu,
 * _efficient_attention_backward). Kernels see tensors as (batch, sequence, heads, size).
 */
final class EfficientAttention {
    /** Sums of exponentials are kept for whole blocks of queries. */
    private static final int SUM_ALIGNMENT = 32;

    /** Larger heads are accumulated in memory in single precision. */
    private static final int REGISTER_SIZE = 128;

    private static final int BIAS_ALIGNMENT = 16;

    private EfficientAttention() {}

    /** @param bias (batch, heads, queries, keys), may be expanded, or {@code null} */
    static Tensor attention(Eager e, Tensor q, Tensor k, Tensor v, @Nullable Tensor bias, Spec spec, boolean trains) {
        Recorder r = e.record("ScaledDotProductEfficientAttentionBackward0", q, k, v, bias);
        SavedTensor savedBias = r.save(bias);
        SavedTensor savedK = r.save(k);
        SavedTensor savedQ = r.save(q);
        SavedTensor savedV = r.save(v);
        // With dropout the generator's state is kept in host memory.
        Tensor seed = spec.dropout() == 0 ? e.empty(DType.INT64) : null;
        Tensor offset = spec.dropout() == 0 ? e.empty(DType.INT64) : null;
        Tensor made = e.empty(q.dtype(), q.size(0), q.size(2), q.size(1), v.size(3));
        Tensor out = Heads.outside(e, made);
        e.free(made);
        long rows = Bytes.roundUp(q.size(2), SUM_ALIGNMENT);
        Tensor sums = e.empty(DType.FLOAT32, q.size(0), q.size(1), trains ? rows : 0);
        try (Scope s = e.open()) {
            if (q.dtype().isReducedFloat() && Math.max(q.size(3), v.size(3)) > REGISTER_SIZE) {
                e.empty(DType.FLOAT32, out.sizes());
            }
            e.backend().attention().attention(new AttentionCall(q, k, v, bias, out, trains ? sums : null, spec));
        }
        SavedTensor savedSums = r.saveOutput(sums);
        SavedTensor savedOut = r.saveOutput(out);
        r.saveOutput(offset);
        r.saveOutput(seed);
        SavedAttention saved = new SavedAttention(savedQ, savedK, savedV, savedBias, savedOut, savedSums);
        return r.backward(g -> gradients(e, r, g[0], saved.call(spec))).output(out);
    }

    private static Tensor[] gradients(Eager e, Recorder r, Tensor grad, AttentionCall call) {
        Tensor q = call.q();
        Tensor k = call.k();
        Tensor v = call.v();
        Tensor g = Heads.outside(e, Copies.packed(e, Heads.inside(e, grad)));
        Tensor dq = Heads.emptyInside(e, q);
        Tensor dk = Heads.emptyInside(e, k);
        Tensor dv = Heads.emptyInside(e, v);
        Tensor dbias = r.needs(3) ? biasGradient(e, Objects.requireNonNull(call.bias(), "a bias")) : null;
        try (Scope s = e.open()) {
            boolean grouped = k.size(1) != q.size(1);
            long[] each = {q.size(0), k.size(2), q.size(1), k.size(3)};
            Tensor wideK = grouped ? Heads.outside(e, e.empty(k.dtype(), each)) : dk;
            each[3] = v.size(3);
            Tensor wideV = grouped ? Heads.outside(e, e.empty(v.dtype(), each)) : dv;
            products(e, g, call.result());
            e.workspace(
                    EfficientKernel.of(e.settings().gpu(), q, k, v, call.spec().dropout() > 0)
                            .workspaceBytes(q, k, v));
            e.backend().attention().attentionBackward(call, g, new AttentionCall.Gradients(dq, wideK, wideV, dbias));
            if (grouped) {
                Heads.sumGroups(e, dk, wideK);
                Heads.sumGroups(e, dv, wideV);
            }
        }
        return new Tensor[] {dq, dk, dv, dbias};
    }

    /** Each query's product of result and gradient; in half precision the kernel computes it itself. */
    private static void products(Eager e, Tensor g, Tensor out) {
        long[] sizes = {g.size(0), g.size(1), g.size(2)};
        if (g.dtype().isReducedFloat()) {
            e.empty(DType.FLOAT32, sizes);
            return;
        }
        try (Scope s = e.open()) {
            Tensor product = Elementwise.binary(e, Elementwise.MULTIPLY, Heads.inside(e, g), Heads.inside(e, out));
            long[] kept = product.sizes().clone();
            kept[3] = 1;
            Tensor sum = Reductions.reduce(e, Kind.SUM, product, kept, product.dtype());
            long[] strides = {sum.stride(0), sum.stride(2), sum.stride(1)};
            s.pass(Copies.packed(e, e.alias(sum, sizes, strides, 0)));
        }
    }

    /** Rows are aligned, so the gradient is a part of a larger tensor. */
    private static Tensor biasGradient(Eager e, Tensor bias) {
        long[] sizes = bias.sizes().clone();
        long last = sizes[3];
        sizes[3] = Bytes.roundUp(last, BIAS_ALIGNMENT);
        Tensor whole = e.empty(bias.dtype(), sizes);
        Tensor part = e.alias(whole, bias.sizes(), Layout.contiguous(sizes), 0);
        e.free(whole);
        return part;
    }
}
