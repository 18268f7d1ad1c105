package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.graph.MemoryFormat;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;

/** Batch and layer normalisation. */
final class NormalizationRules {
    /** More rows than this sum their parameters' gradients in blocks of a warp's size. */
    private static final long MANY_ROWS = 64 * 1024;

    private static final long WARP = 32;

    private NormalizationRules() {}

    static void register(Registry r) {
        r.single("aten.batch_norm", NormalizationRules::batchNorm);
        r.single("aten.layer_norm", NormalizationRules::layerNorm);
        r.add("aten.native_layer_norm", c -> nativeLayerNorm(c));
    }

    private static DType statistics(DType type) {
        return type.isReducedFloat() ? DType.FLOAT32 : type;
    }

    /**
     * ATen/native/Normalization.cpp, _batch_norm_impl_index. The archive's {@code cudnn_enabled} tells of the machine
     * that exported; on a GPU cuDNN is enabled.
     */
    private static Tensor batchNorm(Call c) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("input");
        Tensor w = c.tensorOrNull("weight");
        Tensor b = c.tensorOrNull("bias");
        boolean training = c.flag("training", false);
        boolean running = c.has("running_mean") && c.has("running_var");
        boolean noRunning = !c.has("running_mean") && !c.has("running_var");
        boolean cudnn = w != null
                && b != null
                && (!x.dtype().isReducedFloat() || w.dtype() == DType.FLOAT32)
                && (running || noRunning && training)
                && x.dim() >= 3
                && (training ? x.size(0) <= 880801 : x.size(0) <= 65535)
                && x.numel() <= Integer.MAX_VALUE
                && training;
        return cudnn ? cudnnBatchNorm(rt, x, w, b) : nativeBatchNorm(rt, x, w, b, training);
    }

    private static MemoryFormat format(Tensor x) {
        if (!Convolution.suggestsChannelsLast(x)) {
            return MemoryFormat.CONTIGUOUS;
        }
        return x.dim() == 5 ? MemoryFormat.CHANNELS_LAST_3D : MemoryFormat.CHANNELS_LAST;
    }

    /** ATen/native/cudnn/BatchNorm.cpp: keeps the input, the weight and the batch's statistics. */
    private static Tensor cudnnBatchNorm(Runtime rt, Tensor x0, Tensor w, Tensor b) {
        MemoryFormat format = format(x0);
        Tensor x = Copies.contiguous(rt, x0, format);
        Recording r = rt.record("CudnnBatchNormBackward0", x, w, b);
        Saved input = r == null ? null : r.save(x);
        Saved weight = r == null ? null : r.save(w);
        Tensor out = rt.emptyStrided(x.dtype(), x.sizes(), Copies.strides(x, format));
        Tensor mean = rt.empty(w.dtype(), x.size(1));
        Tensor variance = rt.empty(w.dtype(), x.size(1));
        if (r != null) {
            r.saveOutput(mean);
            r.saveOutput(variance);
            r.gradients(grads -> {
                        Tensor in = input.get();
                        Tensor scale = weight.get();
                        Tensor g = Copies.contiguous(rt, grads[0], format);
                        Tensor gi = rt.emptyStrided(in.dtype(), in.sizes(), Copies.strides(in, format));
                        Tensor gw = rt.empty(scale.dtype(), scale.sizes());
                        Tensor gb = rt.empty(scale.dtype(), scale.sizes());
                        if (g != grads[0]) {
                            rt.free(g);
                        }
                        return new Tensor[] {gi, gw, gb};
                    })
                    .output(out);
        }
        return out;
    }

    /** ATen/native/cuda/Normalization.cu: PyTorch's own kernels. */
    private static Tensor nativeBatchNorm(Runtime rt, Tensor x, Tensor w, Tensor b, boolean training) {
        Recording r = rt.record("NativeBatchNormBackward0", x, w, b);
        Saved input = r == null ? null : r.save(x);
        Saved weight = r == null ? null : r.save(w);
        Tensor out = rt.emptyLike(x);
        long channels = training ? x.size(1) : 0;
        Tensor mean = rt.empty(statistics(x.dtype()), channels);
        Tensor inverse = rt.empty(statistics(x.dtype()), channels);
        if (r != null) {
            r.saveOutput(mean);
            r.saveOutput(inverse);
            r.gradients(grads -> {
                        Tensor in = input.get();
                        Tensor scale = weight.get();
                        Tensor[] result = new Tensor[3];
                        if (r.needs(0)) {
                            result[0] = rt.emptyLike(in);
                        }
                        if (scale != null && r.needs(1)) {
                            result[1] = rt.empty(scale.dtype(), scale.sizes());
                        }
                        if (r.needs(2)) {
                            result[2] = rt.empty(scale == null ? in.dtype() : scale.dtype(), in.size(1));
                        }
                        return result;
                    })
                    .output(out);
        }
        return out;
    }

    private static Tensor layerNorm(Call c) {
        return nativeLayerNorm(c)[0];
    }

    /** ATen/native/cuda/layer_norm_kernel.cu: result, mean and reciprocal deviation; the input is kept as it came. */
    private static Tensor[] nativeLayerNorm(Call c) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("input");
        Tensor w = c.tensorOrNull("weight");
        Tensor b = c.tensorOrNull("bias");
        int normalized = c.integers("normalized_shape").length;
        Recording r = rt.record("NativeLayerNormBackward0", x, w, b);
        Saved input = r == null ? null : r.save(x);
        Saved weight = r == null ? null : r.save(w);
        Tensor dense = Copies.contiguous(rt, x);
        Tensor out = rt.empty(x.dtype(), x.sizes());
        long[] rows = x.sizes().clone();
        for (int i = 0; i < normalized; i++) {
            rows[rows.length - 1 - i] = 1;
        }
        Tensor mean = rt.empty(statistics(x.dtype()), rows);
        Tensor deviation = rt.empty(statistics(x.dtype()), rows);
        if (dense != x) {
            rt.free(dense);
        }
        if (r != null) {
            r.saveOutput(mean);
            r.saveOutput(deviation);
            r.gradients(grads -> layerNormBackward(rt, r, grads[0], input.get(), weight.get()))
                    .output(out)
                    .nonDifferentiable(mean)
                    .nonDifferentiable(deviation);
        }
        return new Tensor[] {out, mean, deviation};
    }

    private static Tensor[] layerNormBackward(Runtime rt, Recording r, Tensor g, Tensor x, Tensor w) {
        Tensor[] out = new Tensor[3];
        if (g == null) {
            return out;
        }
        Tensor dense = Copies.contiguous(rt, x);
        if (r.needs(0)) {
            out[0] = rt.empty(x.dtype(), x.sizes());
        }
        if (r.needs(1)) {
            out[1] = rt.empty(w.dtype(), w.sizes());
        }
        if (r.needs(2)) {
            out[2] = rt.empty(w.dtype(), w.sizes());
        }
        Tensor gradient = Copies.contiguous(rt, g);
        parameterGradients(rt, out, x.numel());
        if (gradient != g) {
            rt.free(gradient);
        }
        if (dense != x) {
            rt.free(dense);
        }
        return out;
    }

    /**
     * Many rows of few features: each block of rows sums the parameters' gradients by itself, a reduction joins them
     * (layer_norm_kernel.cu, LaunchGammaBetaBackwardCUDAKernel).
     */
    private static void parameterGradients(Runtime rt, Tensor[] out, long elements) {
        Tensor any = out[1] == null ? out[2] : out[1];
        if (any == null || any.numel() == 0) {
            return;
        }
        long features = any.numel();
        long rows = elements / features;
        if (rows <= MANY_ROWS || (features + WARP - 1) / WARP >= rt.device().sms() / 2) {
            return;
        }
        long blocks = (rows + WARP - 1) / WARP;
        Tensor[] parts = new Tensor[3];
        for (int i = 1; i <= 2; i++) {
            parts[i] = out[i] == null ? null : rt.empty(any.dtype(), blocks, features);
        }
        for (int i = 1; i <= 2; i++) {
            if (out[i] != null) {
                Tensor sum = Reductions.sum(rt, parts[i], new long[] {0}, false, any.dtype());
                rt.free(out[i]);
                out[i] = sum;
            }
        }
        rt.free(parts[2]);
        rt.free(parts[1]);
    }
}
