package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.view.Padding;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.nullness.Contract;
import org.jspecify.annotations.Nullable;

/** Scaled dot product attention: the composite operator (ATen/native/transformers/attention.cpp). */
final class ScaledDotProduct {
    /** Strides of a mask that the memory-efficient kernel takes, in elements (attention.cpp, preprocess_mask). */
    private static final long MASK_ALIGNMENT = 8;

    private ScaledDotProduct() {}

    static Tensor attention(EagerRuntime rt, AttentionCall c) {
        if (c.query().dim() == 3 && c.key().dim() == 3 && c.value().dim() == 3) {
            return Views.squeeze(rt, attention(rt, batched(rt, c)), 0);
        }
        int batch = c.query().dim() - 2;
        if (c.key().dim() - 2 != batch || c.value().dim() - 2 != batch) {
            throw new NoRule("attention over batches that are broadcast");
        }
        AttentionBackend backend = AttentionBackend.choose(rt, c);
        Tensor mask = additive(rt, c.mask(), c.query().dtype());
        AttentionCall call = c.withMask(mask);
        Tensor out =
                switch (backend) {
                    case CUDNN -> CudnnAttention.apply(rt, call);
                    case FLASH -> FlashAttention.apply(rt, call);
                    case EFFICIENT -> EfficientAttention.apply(rt, call.withMask(aligned(rt, c, mask)));
                    case MATH -> MathAttention.apply(rt, call);
                };
        if (mask != c.mask()) {
            rt.free(mask);
        }
        return out;
    }

    /** sdp_utils_cpp.h, normalize_unbatched_input. */
    private static AttentionCall batched(EagerRuntime rt, AttentionCall c) {
        Tensor mask = c.mask();
        while (mask != null && mask.dim() < 4) {
            mask = Views.unsqueeze(rt, mask, 0);
        }
        return new AttentionCall(
                Views.unsqueeze(rt, c.query(), 0),
                Views.unsqueeze(rt, c.key(), 0),
                Views.unsqueeze(rt, c.value(), 0),
                mask,
                c.dropout(),
                c.causal(),
                c.grouped());
    }

    /** {@code convert_boolean_attn_mask}: {@code where(mask, 0, -inf)}, both numbers as tensors on the device. */
    @Contract("_, !null, _ -> !null")
    static @Nullable Tensor additive(EagerRuntime rt, @Nullable Tensor mask, DType type) {
        if (mask == null || mask.dtype() != DType.BOOL) {
            return mask;
        }
        Tensor outside = rt.empty(type);
        Tensor inside = rt.empty(type);
        Tensor out = Strided.result(rt, type, mask, inside, outside);
        rt.free(inside);
        rt.free(outside);
        return out;
    }

    /** {@code preprocess_mask}: rows padded where their strides are not aligned, then expanded to all heads. */
    private static @Nullable Tensor aligned(EagerRuntime rt, AttentionCall c, @Nullable Tensor mask) {
        if (mask == null) {
            return null;
        }
        boolean good = mask.stride(-1) == 1;
        for (int d = 0; d < mask.dim() - 1; d++) {
            good &= mask.stride(d) % MASK_ALIGNMENT == 0;
        }
        Tensor m = mask;
        if (!good) {
            long size = mask.size(-1);
            Tensor padded = Padding.pad(rt, mask, 0, MASK_ALIGNMENT - size % MASK_ALIGNMENT);
            m = Views.slice(rt, padded, -1, 0, size, 1);
            rt.free(padded);
        }
        Tensor wide = Views.expand(
                rt,
                m,
                c.query().size(0),
                c.query().size(1),
                c.query().size(2),
                c.key().size(2));
        if (m != mask) {
            rt.free(m);
            rt.free(mask);
        }
        return wide;
    }
}
