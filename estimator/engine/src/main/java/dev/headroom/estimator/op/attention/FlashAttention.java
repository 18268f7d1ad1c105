package dev.headroom.estimator.op.attention;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.view.Padding;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** FlashAttention 2 (ATen/native/transformers/cuda/flash_attn/flash_api.cpp, mha_fwd and mha_bwd). */
final class FlashAttention {
    private static final long HEAD_ALIGNMENT = 8;
    private static final long ROW_ALIGNMENT = 128;
    private static final int MOST_SPLITS = 128;

    private FlashAttention() {}

    /** Heads are padded in the composite part, where autograd sees it (attention.cpp, pad_last_dim). */
    static Tensor apply(EagerRuntime rt, AttentionCall c) {
        long features = c.value().size(-1);
        if (features % HEAD_ALIGNMENT == 0) {
            return kernel(rt, c);
        }
        Tensor q = padded(rt, c.query());
        Tensor k = padded(rt, c.key());
        Tensor v = padded(rt, c.value());
        Tensor out = kernel(rt, new AttentionCall(q, k, v, null, c.dropout(), c.causal(), c.grouped()));
        Tensor cut = Views.slice(rt, out, -1, 0, features, 1);
        rt.free(out);
        rt.free(v);
        rt.free(k);
        rt.free(q);
        return cut;
    }

    private static Tensor padded(EagerRuntime rt, Tensor t) {
        return Padding.pad(rt, t, 0, HEAD_ALIGNMENT - t.size(-1) % HEAD_ALIGNMENT);
    }

    private static Tensor kernel(EagerRuntime rt, AttentionCall c) {
        Tensor q = c.query();
        Tensor k = c.key();
        Tensor v = c.value();
        Recorder r = rt.record("ScaledDotProductFlashAttentionBackward0", q, k, v);
        Saved key = r.save(k);
        Saved query = r.save(q);
        Saved value = r.save(v);
        Tensor wide = rt.emptyLike(rowsFirst(rt, q));
        Tensor sums = rt.empty(DType.FLOAT32, q.size(0), q.size(1), q.size(2));
        int splits = c.dropout() > 0 ? 1 : splits(rt, q, k);
        Tensor sumParts = null;
        Tensor outParts = null;
        if (splits > 1) {
            sumParts = rt.empty(DType.FLOAT32, splits, q.size(0), q.size(1), q.size(2));
            outParts = rt.empty(DType.FLOAT32, splits, q.size(0), q.size(1), q.size(2), roundedHead(q.size(3)));
        }
        Tensor random = rt.empty(DType.INT64, 2);
        Tensor unused = rt.empty(DType.INT64);
        if (c.dropout() > 0) {
            Tensor drawn = rt.empty(DType.INT64, 2);
            rt.free(random);
            random = drawn;
        }
        rt.free(sumParts);
        rt.free(outParts);
        Tensor out = EfficientAttention.headsFirst(rt, wide);
        r.saveOutput(sums);
        Saved result = r.saveOutput(out);
        r.saveOutput(random);
        r.saveOutput(unused);
        r.gradients(grads -> grads[0] == null
                        ? new Tensor[3]
                        : backward(rt, r, grads[0], query.get(), key.get(), value.get(), result.get()))
                .output(out);
        r.nonDifferentiable(sums);
        rt.free(sums);
        rt.free(random);
        rt.free(unused);
        return out;
    }

    private static Tensor rowsFirst(EagerRuntime rt, Tensor t) {
        return rt.reinterpret(
                t,
                new long[] {t.size(0), t.size(2), t.size(1), t.size(3)},
                new long[] {t.stride(0), t.stride(2), t.stride(1), t.stride(3)},
                t.offset());
    }

    private static long roundedHead(long features) {
        long to = features <= 128 ? 32 : 64;
        return (features + to - 1) / to * to;
    }

    private static Tensor[] backward(
            EagerRuntime rt, Recorder r, Tensor g0, Tensor q, Tensor k, Tensor v, Tensor result) {
        Tensor turned = rowsFirst(rt, g0);
        Tensor g = Copies.contiguous(rt, turned);
        Tensor turnedOut = rowsFirst(rt, result);
        Tensor out = Copies.contiguous(rt, turnedOut);
        Tensor gq = rt.emptyLike(rowsFirst(rt, q));
        Tensor gk = rt.emptyLike(rowsFirst(rt, k));
        Tensor gv = rt.emptyLike(rowsFirst(rt, v));
        long heads = q.size(1);
        Tensor sums = rowSums(rt, q);
        Tensor accumulated = accumulator(rt, q);
        boolean shared = k.size(1) != heads;
        Tensor wideK = shared ? EfficientAttention.rowsFirst(rt, k, heads) : null;
        Tensor wideV = shared ? EfficientAttention.rowsFirst(rt, v, heads) : null;
        if (wideK != null && wideV != null) {
            EfficientAttention.sumHeads(rt, wideK, k.size(1));
            EfficientAttention.sumHeads(rt, wideV, v.size(1));
        }
        rt.free(wideV);
        rt.free(wideK);
        rt.free(accumulated);
        rt.free(sums);
        rt.freeUnless(out, turnedOut);
        rt.freeUnless(g, turned);
        return EfficientAttention.wanted(
                rt,
                r,
                EfficientAttention.headsFirst(rt, gq),
                EfficientAttention.headsFirst(rt, gk),
                EfficientAttention.headsFirst(rt, gv));
    }

    /** {@code softmax_d}, a number a query. */
    static Tensor rowSums(EagerRuntime rt, Tensor q) {
        return rt.empty(DType.FLOAT32, q.size(0), q.size(1), roundedRows(q));
    }

    /**
     * {@code dq_accum}: the gradient of the queries in single precision; deterministic kernels add up one for each
     * block that runs at once (flash_api.cpp, mha_bwd: nsplits).
     */
    static Tensor accumulator(EagerRuntime rt, Tensor q) {
        long sums = rt.options().deterministic() ? Bytes.ceilDiv(rt.device().sms(), q.size(0) * q.size(1)) : 1;
        return rt.empty(DType.FLOAT32, sums * q.size(0), roundedRows(q), q.size(1), roundedHead(q.size(3)));
    }

    private static long roundedRows(Tensor q) {
        return (q.size(2) + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    }

    /** Parts that the keys are split into where few tiles would leave multiprocessors idle (num_splits_heuristic). */
    private static int splits(EagerRuntime rt, Tensor q, Tensor k) {
        long features = q.size(3);
        long columns = features <= 64 ? 256 : features <= 128 ? 128 : 64;
        long blocks = Bytes.ceilDiv(k.size(2), columns);
        long tiles = q.size(0) * q.size(1) * Bytes.ceilDiv(q.size(2), 64);
        int sms = 2 * rt.device().sms();
        if (tiles >= 0.8f * sms) {
            return 1;
        }
        int most = (int) Math.min(Math.min(MOST_SPLITS, sms), blocks);
        float[] efficiency = new float[most + 1];
        float best = 0;
        for (int n = 1; n <= most; n++) {
            if (eligible(blocks, n)) {
                float waves = (float) (tiles * n) / sms;
                efficiency[n] = waves / (float) Math.ceil(waves);
                best = Math.max(best, efficiency[n]);
            }
        }
        for (int n = 1; n <= most; n++) {
            if (eligible(blocks, n) && efficiency[n] >= 0.85 * best) {
                return n;
            }
        }
        return 1;
    }

    private static boolean eligible(long blocks, int n) {
        return n == 1 || Bytes.ceilDiv(blocks, n) != Bytes.ceilDiv(blocks, n - 1);
    }
}
