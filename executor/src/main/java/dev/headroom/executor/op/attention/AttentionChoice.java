package dev.headroom.executor.op.attention;

import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario.Attention;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which kernel computes an attention (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, select_sdp_backend). */
final class AttentionChoice {
    /** The largest head that flash attention has. */
    private static final long FLASH_SIZE = 256;

    private static final long CUDNN_SIZE = 128;

    /** cuDNN drops a share in whole parts of so many. */
    private static final int CUDNN_DROPS_OF = 16;

    private final Settings settings;
    private final Tensor q;
    private final Tensor k;
    private final Tensor v;
    private final @Nullable Tensor mask;
    private final double dropout;
    private final boolean causal;
    private final boolean trains;

    /** @param trains whether one of the operands is to get a gradient */
    AttentionChoice(
            Settings settings,
            Tensor q,
            Tensor k,
            Tensor v,
            @Nullable Tensor mask,
            double dropout,
            boolean causal,
            boolean trains) {
        this.settings = settings;
        this.q = q;
        this.k = k;
        this.v = v;
        this.mask = mask;
        this.dropout = dropout;
        this.causal = causal;
        this.trains = trains;
    }

    /** The first that can, in PyTorch's order; {@code MATH} can always. */
    Attention kernel() {
        if (!fits()) {
            return Attention.MATH;
        }
        if (allowed(Attention.CUDNN) && prefersCudnn() && cudnnCan()) {
            return Attention.CUDNN;
        }
        if (allowed(Attention.FLASH) && flashCan()) {
            return Attention.FLASH;
        }
        return allowed(Attention.EFFICIENT) && efficientCan() ? Attention.EFFICIENT : Attention.MATH;
    }

    private boolean allowed(Attention kernel) {
        return settings.attention() == Attention.AUTO || settings.attention() == kernel;
    }

    /** What all but the plain computation ask of shapes. */
    private boolean fits() {
        return q.dims() == 4
                && k.dims() == 4
                && v.dims() == 4
                && q.size(0) == k.size(0)
                && q.size(1) % k.size(1) == 0
                && q.size(3) == k.size(3)
                && q.size(2) > 0
                && k.size(2) > 0
                && q.stride(3) == 1
                && k.stride(3) == 1
                && v.stride(3) == 1
                && (mask == null || mask.stride(-1) == 1);
    }

    /** check_prefer_cudnn_attention. */
    private boolean prefersCudnn() {
        Gpu gpu = settings.gpu();
        return settings.attention() == Attention.CUDNN || gpu.major() == 9 || gpu.major() == 10;
    }

    private boolean cudnnCan() {
        long size = q.size(3);
        long valueSize = v.size(3);
        boolean small = size <= CUDNN_SIZE && valueSize <= CUDNN_SIZE;
        boolean special = size == 192 && valueSize == 128 || size == 256 && valueSize == 256;
        boolean single = k.size(2) == 1
                || q.size(2) == 1 && (dropout > 0 || settings.gpu().major() == 10);
        return q.dtype().isReducedFloat()
                && settings.gpu().major() >= 8
                && size % 8 == 0
                && valueSize % 8 == 0
                && (small || special)
                && dropout * CUDNN_DROPS_OF == Math.floor(dropout * CUDNN_DROPS_OF)
                && !single
                && (mask == null || !mask.requiresGrad());
    }

    private boolean flashCan() {
        long size = q.size(3);
        Gpu gpu = settings.gpu();
        // 193 to 224 elements need more shared memory in the backward pass than these have.
        boolean tooSmall = gpu.major() == 8 && gpu.minor() > 0 || gpu.major() == 12;
        return q.dtype().isReducedFloat()
                && gpu.major() >= 8
                && mask == null
                && size == v.size(3)
                && size <= FLASH_SIZE
                && !(causal && q.size(2) != k.size(2))
                && !(trains && tooSmall && size > 192 && (size <= 224 || dropout > 0));
    }

    private boolean efficientCan() {
        boolean wideLoads = settings.gpu().major() >= 8 || q.dtype() == DType.FLOAT16;
        int most = q.dtype().isReducedFloat() ? 8 : 4;
        int alignment = wideLoads ? most : 1;
        return Arrays.asList(DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16).contains(q.dtype())
                && (q.dtype() != DType.BFLOAT16 || settings.gpu().major() >= 8)
                && q.size(3) % alignment == 0
                && v.size(3) % alignment == 0;
    }
}
