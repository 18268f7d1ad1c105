package dev.headroom.executor.op.attention;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.AttentionCall;
import dev.headroom.executor.kernel.AttentionCall.Spec;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** Flash attention (transformers/cuda/flash_attn/flash_api.cpp, mha_fwd and mha_bwd). */
final class FlashAttention {
    private static final int QUERY_ALIGNMENT = 128;
    private static final int SIZE_ALIGNMENT = 32;

    /** Beyond this a head's size is rounded up to twice the alignment. */
    private static final int LARGE_SIZE = 128;

    private static final int SPLIT_QUERIES = 64;
    private static final int MOST_SPLITS = 128;

    private FlashAttention() {}

    /** @param q (batch, heads, queries, size), the size a multiple of 8 */
    static Tensor attention(Eager e, Tensor q, Tensor k, Tensor v, Spec spec) {
        Recorder r = e.record("ScaledDotProductFlashAttentionBackward0", q, k, v);
        SavedTensor savedK = r.save(k);
        SavedTensor savedQ = r.save(q);
        SavedTensor savedV = r.save(v);
        Tensor out = Heads.emptyLikeInside(e, q);
        Tensor sums = e.empty(DType.FLOAT32, q.size(0), q.size(1), q.size(2));
        Tensor state;
        Tensor unused;
        try (Scope s = e.open()) {
            long splits = spec.dropout() > 0 ? 1 : splits(e, q, k);
            if (splits > 1) {
                e.empty(DType.FLOAT32, splits, q.size(0), q.size(1), q.size(2));
                e.empty(DType.FLOAT32, splits, q.size(0), q.size(1), q.size(2), rounded(q.size(3)));
            }
            state = e.workspace(2L * Long.BYTES);
            unused = s.pass(e.workspace(Long.BYTES));
            if (spec.dropout() > 0) {
                Tensor drawn = e.workspace(2L * Long.BYTES); // replaces the state
                e.free(state);
                state = drawn;
            }
            e.backend().attention().attention(new AttentionCall(q, k, v, null, out, sums, spec));
            s.pass(state);
        }
        SavedTensor savedSums = r.saveOutput(sums);
        SavedTensor savedOut = r.saveOutput(out);
        r.saveOutput(state);
        r.saveOutput(unused);
        SavedAttention saved = new SavedAttention(savedQ, savedK, savedV, r.save(null), savedOut, savedSums);
        return r.backward(g -> gradients(e, g[0], saved.call(spec))).output(out);
    }

    private static long rounded(long size) {
        int alignment = size <= LARGE_SIZE ? SIZE_ALIGNMENT : 2 * SIZE_ALIGNMENT;
        return Bytes.roundUp(size, alignment);
    }

    private static Tensor[] gradients(Eager e, Tensor grad, AttentionCall call) {
        Tensor q = call.q();
        Tensor k = call.k();
        Tensor v = call.v();
        Tensor g = Heads.outside(e, Copies.packed(e, Heads.inside(e, grad)));
        Tensor out = Heads.outside(e, Copies.packed(e, Heads.inside(e, call.result())));
        Tensor dq = Heads.emptyLikeInside(e, q);
        Tensor dk = Heads.emptyLikeInside(e, k);
        Tensor dv = Heads.emptyLikeInside(e, v);
        try (Scope s = e.open()) {
            long rows = Bytes.roundUp(q.size(2), QUERY_ALIGNMENT);
            e.empty(DType.FLOAT32, q.size(0), q.size(1), rows); // products of result and gradient
            // The queries' gradient: deterministic kernels add up one for each block that runs at once (mha_bwd).
            boolean several = e.settings().deterministic();
            long sums = several ? Bytes.ceilDiv(e.settings().gpu().sms(), q.size(0) * q.size(1)) : 1;
            e.empty(DType.FLOAT32, sums * q.size(0), rows, q.size(1), rounded(q.size(3)));
            boolean grouped = k.size(1) != q.size(1);
            long[] each = {q.size(0), k.size(2), q.size(1), q.size(3)};
            Tensor wideK = grouped ? Heads.outside(e, e.empty(k.dtype(), each)) : dk;
            Tensor wideV = grouped ? Heads.outside(e, e.empty(v.dtype(), each)) : dv;
            AttentionCall packed = new AttentionCall(q, k, v, null, out, call.logSumExp(), call.spec());
            e.backend().attention().attentionBackward(packed, g, new AttentionCall.Gradients(dq, wideK, wideV, null));
            if (grouped) {
                Heads.sumGroups(e, dk, wideK);
                Heads.sumGroups(e, dv, wideV);
            }
        }
        return new Tensor[] {dq, dk, dv};
    }

    /** num_splits_heuristic: into how many parts keys are split to occupy the GPU. */
    private static long splits(Eager e, Tensor q, Tensor k) {
        long size = q.size(3);
        int keysOfBlock = size <= 64 ? 256 : size <= 128 ? 128 : 64;
        long keyBlocks = Bytes.ceilDiv(k.size(2), keysOfBlock);
        long blocks = q.size(0) * q.size(1) * Bytes.ceilDiv(q.size(2), SPLIT_QUERIES);
        long places = 2L * e.settings().gpu().sms();
        if (blocks >= 0.8f * places) {
            return 1;
        }
        long most = Math.min(MOST_SPLITS, Math.min(places, keyBlocks));
        float best = 0;
        for (long n = 1; n <= most; n++) {
            best = eligible(keyBlocks, n) ? Math.max(best, efficiency(blocks, n, places)) : best;
        }
        for (long n = 1; n <= most; n++) {
            if (eligible(keyBlocks, n) && efficiency(blocks, n, places) >= 0.85 * best) {
                return n;
            }
        }
        return 1;
    }

    /** Whether so many splits give other parts than one less. */
    private static boolean eligible(long keyBlocks, long n) {
        return n == 1 || Bytes.ceilDiv(keyBlocks, n) != Bytes.ceilDiv(keyBlocks, n - 1);
    }

    private static float efficiency(long blocks, long n, long places) {
        float waves = (float) (blocks * n) / places;
        return waves / (float) Math.ceil(waves);
    }
}
