package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;

/** Scaled dot product attention (ATen/native/transformers/attention.cpp, cuda/attention.cu, cuda/attention_backward.cu). */
final class AttentionRules {
    private AttentionRules() {}

    static void register(Registry r) {
        r.single("aten.scaled_dot_product_attention", AttentionRules::attention);
    }

    private static Tensor attention(Call c) {
        return efficient(
                c.runtime(),
                c.tensor("query"),
                c.tensor("key"),
                c.tensor("value"),
                c.tensorOrNull("attn_mask"),
                c.number("dropout_p", 0));
    }

    /**
     * The memory-efficient kernel. Operands are (batch, heads, rows, features); kernels see rows before heads.
     */
    private static Tensor efficient(Runtime rt, Tensor q, Tensor k, Tensor v, Tensor mask, double dropout) {
        Recording r = rt.record("ScaledDotProductEfficientAttentionBackward0", q, k, v, mask);
        Saved sq = r == null ? null : r.save(q);
        Saved sk = r == null ? null : r.save(k);
        Saved sv = r == null ? null : r.save(v);
        if (r != null) {
            r.save(mask);
        }
        long batch = q.size(0);
        long heads = q.size(1);
        long rows = q.size(2);
        // The state of the random generator lies on the device only where nothing is drawn.
        Tensor seed = dropout > 0 ? null : rt.empty(DType.INT64);
        Tensor shift = dropout > 0 ? null : rt.empty(DType.INT64);
        Tensor wide = rt.empty(q.dtype(), batch, rows, heads, v.size(3));
        long padded = (rows + 31) / 32 * 32;
        Tensor sums = rt.empty(DType.FLOAT32, batch, heads, r == null ? 0 : padded);
        Tensor out = rt.detach(Views.transpose(rt, wide, 1, 2));
        rt.free(wide);
        if (r != null) {
            Saved result = r.saveOutput(out);
            r.saveOutput(sums);
            if (seed != null) {
                r.saveOutput(seed);
                r.saveOutput(shift);
            }
            r.gradients(grads -> efficientBackward(rt, r, grads[0], sq.get(), sk.get(), sv.get(), result.get()))
                    .output(out)
                    .nonDifferentiable(sums);
        }
        rt.free(sums);
        rt.free(seed);
        rt.free(shift);
        return out;
    }

    private static Tensor[] efficientBackward(
            Runtime rt, Recording r, Tensor g0, Tensor q, Tensor k, Tensor v, Tensor result) {
        Tensor[] out = new Tensor[4];
        if (g0 == null) {
            return out;
        }
        Tensor turned = rt.detach(Views.transpose(rt, g0, 1, 2));
        Tensor g = Copies.contiguous(rt, turned);
        out[0] = gradient(rt, q);
        out[1] = gradient(rt, k);
        out[2] = gradient(rt, v);
        // delta: the row sums of grad * out, in the layout (batch, heads, rows).
        Tensor product = rt.empty(DType.FLOAT32, result.sizes());
        Tensor sums = rt.empty(DType.FLOAT32, q.size(0), q.size(2), q.size(1));
        Tensor delta = rt.empty(DType.FLOAT32, q.size(0), q.size(1), q.size(2));
        rt.free(sums);
        rt.free(product);
        Tensor workspace = rt.scratch(q.size(0) * q.size(1) * ((q.size(2) + 63) / 64) * 16400);
        rt.free(delta);
        rt.free(workspace);
        if (g != turned) {
            rt.free(g);
        }
        return out;
    }

    /** A gradient in rows-before-heads layout, seen heads first. */
    private static Tensor gradient(Runtime rt, Tensor like) {
        Tensor wide = rt.empty(like.dtype(), like.size(0), like.size(2), like.size(1), like.size(3));
        Tensor view = rt.reinterpret(
                wide, like.sizes(), new long[] {wide.stride(0), wide.stride(2), wide.stride(1), wide.stride(3)}, 0);
        rt.free(wide);
        return view;
    }
}
