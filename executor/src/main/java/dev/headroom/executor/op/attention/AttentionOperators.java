package dev.headroom.executor.op.attention;

import dev.headroom.executor.kernel.AttentionCall.Spec;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Padding;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.elementwise.SelectionOperators;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code scaled_dot_product_attention} (aten/src/ATen/native/transformers/attention.cpp). */
public final class AttentionOperators {
    /** Rows of a mask begin at multiples of so many elements. */
    private static final int MASK_ALIGNMENT = 8;

    /** Heads of flash attention have a multiple of so many elements. */
    private static final int FLASH_ALIGNMENT = 8;

    private AttentionOperators() {}

    public static void register(Operators o) {
        o.add1(
                "aten.scaled_dot_product_attention",
                (e, a) -> attention(
                        e,
                        a.tensor("query"),
                        a.tensor("key"),
                        a.tensor("value"),
                        a.optional("attn_mask"),
                        a.real("dropout_p", 0),
                        a.flag("is_causal", false),
                        a.has("scale")
                                ? a.real("scale", 1)
                                : 1 / Math.sqrt((double) a.tensor("query").size(-1))));
    }

    /** @param mask true where a key is seen, or numbers that are added; may be {@code null} */
    static Tensor attention(
            Eager e,
            Tensor q,
            Tensor k,
            Tensor v,
            @Nullable Tensor mask,
            double dropout,
            boolean causal,
            double scale) {
        boolean trains = e.tape().isEnabled() && (q.requiresGrad() || k.requiresGrad() || v.requiresGrad());
        var kernel = new AttentionChoice(e.settings(), q, k, v, mask, dropout, causal, trains).kernel();
        return e.call(() -> {
            Tensor bias = additive(e, mask, q.dtype());
            long seed = dropout > 0 ? e.randomness().next() : 0;
            Spec spec = new Spec(scale, causal, dropout, seed);
            return switch (kernel) {
                case CUDNN -> CudnnAttention.attention(e, q, k, v, bias, spec, trains);
                case FLASH -> flash(e, q, k, v, spec);
                case EFFICIENT -> EfficientAttention.attention(e, q, k, v, fitted(e, bias, q, k), spec, trains);
                default -> MathAttention.attention(e, q, k, v, bias, dropout, causal, scale);
            };
        });
    }

    /** convert_boolean_attn_mask: 0 where a key is seen, minus infinity where not. */
    static @Nullable Tensor additive(Eager e, @Nullable Tensor mask, DType type) {
        if (mask == null || mask.dtype() != DType.BOOL) {
            return mask;
        }
        return e.call(() -> {
            Tensor hidden = e.empty(type);
            Elementwise.fill(e, hidden, Double.NEGATIVE_INFINITY);
            return SelectionOperators.where(e, mask, Tensor.number(DType.INT64, 0), hidden, true, false);
        });
    }

    /** preprocess_mask: rows padded to whole vectors, then all heads' and batches'. */
    private static @Nullable Tensor fitted(Eager e, @Nullable Tensor bias, Tensor q, Tensor k) {
        if (bias == null) {
            return null;
        }
        long last = bias.size(-1);
        Tensor aligned = bias;
        if (last % MASK_ALIGNMENT != 0) {
            Tensor padded = Padding.constant(e, bias, new long[] {0, MASK_ALIGNMENT - last % MASK_ALIGNMENT}, 0);
            aligned = Slices.slice(e, padded, -1, 0, last, 1);
            e.free(padded);
            e.free(bias);
        }
        return Views.expand(e, aligned, q.size(0), q.size(1), q.size(2), k.size(2));
    }

    private static Tensor flash(Eager e, Tensor q, Tensor k, Tensor v, Spec spec) {
        long size = q.size(3);
        if (size % FLASH_ALIGNMENT == 0) {
            return FlashAttention.attention(e, q, k, v, spec);
        }
        Tensor out = FlashAttention.attention(e, padded(e, q), padded(e, k), padded(e, v), spec);
        return Slices.slice(e, out, -1, 0, size, 1);
    }

    /** pad_last_dim. */
    private static Tensor padded(Eager e, Tensor t) {
        return Padding.constant(e, t, new long[] {0, FLASH_ALIGNMENT - t.size(3) % FLASH_ALIGNMENT}, 0);
    }
}
