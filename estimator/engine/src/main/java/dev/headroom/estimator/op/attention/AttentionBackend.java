package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario.Attention;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;

/** Which kernel computes attention: PyTorch's own choice (ATen/native/transformers/cuda/sdp_utils.cpp). */
enum AttentionBackend {
    CUDNN,
    FLASH,
    EFFICIENT,
    MATH;

    private static final List<AttentionBackend> DEFAULT_ORDER = List.of(FLASH, EFFICIENT, MATH);
    private static final List<AttentionBackend> CUDNN_FIRST = List.of(CUDNN, FLASH, EFFICIENT, MATH);

    /** Gradients of heads wider than this are not supported by the flash kernel on some GPUs. */
    private static final long WIDE_HEAD = 192;

    /** The first backend of {@code priority_order} that takes the operands; the math one takes all. */
    static AttentionBackend choose(EagerRuntime rt, AttentionCall c) {
        int major = rt.device().major();
        Attention allowed = rt.options().attention();
        boolean any = allowed == Attention.AUTO || allowed == Attention.EAGER;
        for (AttentionBackend b : major == 9 || major == 10 ? CUDNN_FIRST : DEFAULT_ORDER) {
            boolean enabled = b == MATH || any || allowed.name().equals(b.name());
            if (enabled && b.takes(rt, c)) {
                return b;
            }
        }
        return MATH;
    }

    private boolean takes(EagerRuntime rt, AttentionCall c) {
        boolean grad = rt.gradMode() && c.anyRequiresGrad();
        return switch (this) {
            case MATH -> true;
            case CUDNN -> fused(c) && cudnn(rt, c, grad);
            case FLASH -> fused(c) && flash(rt, c, grad);
            case EFFICIENT -> fused(c) && efficient(rt, c);
        };
    }

    /** What all fused kernels want: four dimensions, rows, matching batches and heads, dense last dimensions. */
    private static boolean fused(AttentionCall c) {
        Tensor q = c.query();
        Tensor k = c.key();
        Tensor v = c.value();
        if (q.dim() != 4 || k.dim() != 4 || v.dim() != 4 || q.size(2) == 0 || k.size(2) == 0) {
            return false;
        }
        return q.dtype() == k.dtype()
                && q.dtype() == v.dtype()
                && q.size(0) == k.size(0)
                && q.size(0) == v.size(0)
                && (c.mask() == null || c.mask().stride(-1) == 1);
    }

    private static boolean denseRows(AttentionCall c, boolean ignoreSingleFeature) {
        Tensor q = c.query();
        return q.stride(-1) == 1 && c.key().stride(-1) == 1 && c.value().stride(-1) == 1
                || ignoreSingleFeature && q.size(-1) == 1;
    }

    /** sdp_utils_cpp.h, check_batch_size_and_num_heads_dense. */
    private static boolean heads(EagerRuntime rt, AttentionCall c, boolean sameKeyAndValue) {
        long q = c.query().size(1);
        long k = c.key().size(1);
        long v = c.value().size(1);
        if (c.grouped()) {
            return (k == v || !sameKeyAndValue) && q % k == 0 && q % v == 0;
        }
        return q == k && q == v || rt.options().torch().spreadsHeads() && q > 0 && k == 1 && v == 1;
    }

    private static boolean sameHeads(AttentionCall c) {
        long q = c.query().size(1);
        return q == c.key().size(1) && q == c.value().size(1);
    }

    private static boolean halfType(DeviceModel d, DType type) {
        return type == DType.FLOAT16 || type == DType.BFLOAT16 && d.major() >= 8;
    }

    private static boolean between80And121(DeviceModel d) {
        return d.major() >= 8 && (d.major() < 12 || d.major() == 12 && d.minor() <= 1);
    }

    /** {@code can_use_cudnn_attention}, with the cuDNN of PyTorch's packages from 2.11 on. */
    private static boolean cudnn(EagerRuntime rt, AttentionCall c, boolean grad) {
        DeviceModel d = rt.device();
        TorchVersion torch = rt.options().torch();
        long keys = c.key().size(2);
        long features = c.query().size(3);
        long valueFeatures = c.value().size(3);
        boolean big = d.major() == 9 && d.minor() == 0 || d.major() == 10;
        long limit = big ? 256 : 128;
        return between80And121(d)
                && halfType(d, c.query().dtype())
                && maskFits(c)
                && (!torch.cudnnDropsSixteenths() || c.dropout() * 16 == Math.floor(c.dropout() * 16))
                && denseRows(c, true)
                && heads(rt, c, false)
                && features <= limit
                && valueFeatures <= limit
                && features % 8 == 0
                && valueFeatures % 8 == 0
                && (!grad || !big || !torch.cudnnChecksGradients() || wideGradient(features, valueFeatures))
                && keys > 1
                && (c.query().size(2) > 1 || c.dropout() == 0 && decodes(rt));
    }

    /** {@code is_cudnn_attention_decode_disabled}: of single queries. */
    private static boolean decodes(EagerRuntime rt) {
        boolean affected = rt.device().major() == 10 || rt.device().major() == 11;
        return !affected
                || !rt.options().torch().cudnnChecksDecoding()
                || !rt.options().cudnn().decodesWrongly();
    }

    /** {@code check_cudnn_d256_bprop_head_dim}: head sizes that have a backward pass. */
    private static boolean wideGradient(long features, long valueFeatures) {
        return features <= 128 && valueFeatures <= 128
                || features == 192 && valueFeatures == 128
                || features == 256 && valueFeatures == 256;
    }

    /** {@code check_attn_mask_shape}. */
    private static boolean maskFits(AttentionCall c) {
        Tensor m = c.mask();
        if (m == null) {
            return true;
        }
        if (m.requiresGrad() || m.dim() != 2 && m.dim() != 4) {
            return false;
        }
        boolean rows = broadcasts(m.size(-2), c.query().size(2))
                && broadcasts(m.size(-1), c.key().size(2));
        return rows
                && (m.dim() == 2
                        || broadcasts(m.size(0), c.query().size(0))
                                && broadcasts(m.size(1), c.query().size(1)));
    }

    private static boolean broadcasts(long size, long target) {
        return size == target || size == 1;
    }

    /** {@code can_use_flash_attention}. */
    private static boolean flash(EagerRuntime rt, AttentionCall c, boolean grad) {
        DeviceModel d = rt.device();
        long features = c.query().size(3);
        boolean smallMemory = d.major() == 8 && d.minor() >= 6 && d.minor() <= 9 || d.major() == 12;
        boolean tooWide = features > WIDE_HEAD && features <= 224 || features > 224 && c.dropout() > 0;
        return c.mask() == null
                && between80And121(d)
                && halfType(d, c.query().dtype())
                && features == c.key().size(3)
                && features == c.value().size(3)
                && features <= 256
                && !(grad && smallMemory && tooWide)
                && (!c.causal() || c.query().size(2) == c.key().size(2))
                && heads(rt, c, true)
                && denseRows(c, true);
    }

    /** {@code can_use_mem_efficient_attention}. */
    private static boolean efficient(EagerRuntime rt, AttentionCall c) {
        DeviceModel d = rt.device();
        DType type = c.query().dtype();
        boolean half = type.isReducedFloat();
        boolean tensorCores = d.major() >= 8 || d.major() == 7 && half;
        long alignment = d.major() >= 8 ? 4 : 1;
        if (tensorCores) {
            alignment = Math.max(alignment, half ? 8 : 4);
        }
        long features = c.query().size(3);
        long valueFeatures = c.value().size(3);
        return (type == DType.FLOAT32 || halfType(d, type))
                && features == c.key().size(3)
                && features > 0
                && valueFeatures > 0
                && features % alignment == 0
                && valueFeatures % alignment == 0
                && (d.major() < 8 || alignedStart(c, alignment))
                && denseRows(c, false)
                && (rt.options().torch().spreadsHeads() ? heads(rt, c, true) : sameHeads(c));
    }

    /** {@code check_data_ptr_alignment_mem_efficient}; offsets and alignment in elements. */
    private static boolean alignedStart(AttentionCall c, long alignment) {
        return c.query().offset() % alignment == 0
                && c.key().offset() % alignment == 0
                && c.value().offset() % alignment == 0;
    }
}
