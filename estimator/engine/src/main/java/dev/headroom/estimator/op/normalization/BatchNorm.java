package dev.headroom.estimator.op.normalization;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.IndexMath;
import dev.headroom.estimator.op.core.ReduceScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Batch normalisation (ATen/native/cudnn/BatchNorm.cpp, ATen/native/cuda/Normalization.cu and .cuh). */
final class BatchNorm {
    private static final int WARP = 32;
    private static final int MAX_BLOCK = 512;
    private static final int ELEMENTS_PER_THREAD = 16;
    private static final int MAX_GRID_ROWS = 128;

    private BatchNorm() {}

    static DType statistics(DType type) {
        return type.isReducedFloat() ? DType.FLOAT32 : type;
    }

    private static MemoryFormat format(Tensor x) {
        if (!Copies.suggestsChannelsLast(x)) {
            return MemoryFormat.CONTIGUOUS;
        }
        return x.dim() == 5 ? MemoryFormat.CHANNELS_LAST_3D : MemoryFormat.CHANNELS_LAST;
    }

    /** Training through cuDNN: keeps the input, the weight and the batch's statistics. */
    static Tensor cudnn(EagerRuntime rt, Tensor x0, Tensor w, Tensor b, @Nullable Tensor... running) {
        MemoryFormat format = format(x0);
        Tensor x = Copies.contiguous(rt, x0, format);
        Recorder r = rt.record("CudnnBatchNormBackward0", x, w, b);
        Saved input = r.save(x);
        for (Tensor t : running) {
            r.save(t);
        }
        Saved weight = r.save(w);
        Tensor out = rt.emptyStrided(x.dtype(), x.sizes(), Copies.strides(x, format));
        Tensor mean = rt.empty(w.dtype(), x.size(1));
        Tensor variance = rt.empty(w.dtype(), x.size(1));
        if (format != MemoryFormat.CONTIGUOUS) {
            NormWorkspace.FORWARD.use(rt, x);
        }
        Saved means = r.saveOutput(mean);
        Saved variances = r.saveOutput(variance);
        return r.gradients(grads -> cudnnBackward(
                        rt, Copies.contiguous(rt, grads[0], format), grads[0], input.get(), weight.get(), format))
                .again(grads -> {
                    Tensor g = Copies.contiguous(rt, grads[0], format);
                    return BatchNormTwice.backward(
                            rt,
                            "CudnnBatchNormBackwardBackward0",
                            g,
                            input.get(),
                            weight.get(),
                            means.get(),
                            variances.get(),
                            true,
                            () -> cudnnBackward(rt, g, g, input.get(), weight.get(), format));
                })
                .output(out);
    }

    /** @param g contiguous, and freed unless it is {@code given} */
    private static Tensor[] cudnnBackward(
            EagerRuntime rt, Tensor g, Tensor given, Tensor in, Tensor scale, MemoryFormat format) {
        Tensor gi = rt.emptyStrided(in.dtype(), in.sizes(), Copies.strides(in, format));
        Tensor gw = rt.empty(scale.dtype(), scale.sizes());
        Tensor gb = rt.empty(scale.dtype(), scale.sizes());
        if (format != MemoryFormat.CONTIGUOUS) {
            NormWorkspace.BACKWARD.use(rt, in);
        }
        if (g != given) {
            rt.free(g);
        }
        return new Tensor[] {gi, gw, gb};
    }

    /**
     * PyTorch's kernels; and evaluation through cuDNN, which keeps no statistics and so recomputes the deviation for a
     * backward pass.
     */
    static Tensor nativeKernels(
            EagerRuntime rt,
            Tensor x,
            @Nullable Tensor w,
            @Nullable Tensor b,
            boolean training,
            boolean statistics,
            Tensor... running) {
        Recorder r = rt.record("NativeBatchNormBackward0", x, w, b);
        Saved input = r.save(x);
        Saved[] kept = new Saved[running.length];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = r.save(running[i]);
        }
        Saved weight = r.save(w);
        Tensor out = rt.emptyLike(x);
        long channels = statistics ? x.size(1) : 0;
        Tensor mean = rt.empty(statistics(x.dtype()), channels);
        Tensor deviation = rt.empty(statistics(x.dtype()), channels);
        if (training && !IndexMath.fits32Bits(x)) {
            variance(rt, x, true);
        } else if (training && channelsLastKernels(x)) {
            reduction(rt, x, statistics(x.dtype()), 4);
        } else if (training && !x.isContiguous()) {
            variance(rt, x, false);
        }
        Saved means = r.saveOutput(mean);
        Saved deviations = r.saveOutput(deviation);
        r.gradients(grads -> backward(rt, r, grads[0], input.get(), weight.getOrNull(), training, statistics))
                .again(grads -> BatchNormTwice.backward(
                        rt,
                        "NativeBatchNormBackwardBackward0",
                        grads[0],
                        input.get(),
                        weight.getOrNull(),
                        training ? means.get() : kept[0].getOrNull(),
                        training ? deviations.get() : kept[1].getOrNull(),
                        training,
                        () -> backward(rt, r, grads[0], input.get(), weight.getOrNull(), training, statistics)))
                .output(out);
        rt.free(mean);
        rt.free(deviation);
        return out;
    }

    /**
     * Of more elements than 32 bits count, and of an input in neither layout, as one that was transposed before,
     * var_mean takes the statistics (Normalization.cu, batch_norm_mean_var, Impl::General).
     *
     * @param many whether the kernel takes the input in parts, which it adds up in a buffer (Reduce.cuh)
     */
    private static void variance(EagerRuntime rt, Tensor x, boolean many) {
        Tensor wide = wide(rt, x);
        boolean[] mask = new boolean[x.dim()];
        Arrays.fill(mask, true);
        mask[1] = false;
        Tensor sums = many ? rt.scratch(x.size(1) * Reductions.WELFORD) : null;
        ReduceScratch.use(rt, wide, mask, DType.FLOAT32.bytes(), Reductions.WELFORD);
        rt.free(sums);
        rt.freeUnless(wide, x);
    }

    /** var_mean copies bfloat16 to float32, and no other type (ReduceOpsUtils.h, make_reduction). */
    private static Tensor wide(EagerRuntime rt, Tensor x) {
        return x.dtype() == DType.BFLOAT16
                ? rt.emptyStrided(DType.FLOAT32, x.sizes(), Shapes.preserved(x.sizes(), x.strides()))
                : x;
    }

    /** batch_norm_backward_cuda: gradients of the input, the weight and the bias. */
    private static Tensor[] backward(
            EagerRuntime rt, Recorder r, Tensor g, Tensor x, @Nullable Tensor w, boolean training, boolean statistics) {
        Tensor[] out = new Tensor[3];
        boolean reduce = training || r.needs(1) || r.needs(2);
        DType wide = statistics(x.dtype());
        long channels = x.size(1);
        if (reduce && r.needs(0) && !channelsLastKernels(x)) {
            Tensor planes = inPlanes(rt, x);
            Tensor gradients = inPlanes(rt, g);
            out[0] = rt.empty(x.dtype(), x.sizes());
            if (w != null && r.needs(1)) {
                out[1] = rt.empty(w.dtype(), channels);
            }
            if (r.needs(2)) {
                out[2] = rt.empty(w == null ? x.dtype() : w.dtype(), channels);
            }
            rt.free(gradients);
            rt.free(planes);
            return out;
        }
        Tensor deviation = statistics ? null : rt.empty(wide, channels);
        if (!reduce) {
            out[0] = rt.empty(g.dtype(), x.sizes());
            rt.free(deviation);
            return out;
        }
        boolean dense = channelsLastKernels(g) && channelsLastKernels(x);
        Tensor sum = dense || r.needs(0) ? rt.empty(wide, channels) : null;
        Tensor product = dense || r.needs(0) ? rt.empty(wide, channels) : null;
        if (w != null && (dense || r.needs(1))) {
            out[1] = rt.empty(w.dtype(), channels);
        }
        if (w != null && (dense || r.needs(2))) {
            out[2] = rt.empty(w.dtype(), channels);
        }
        if (dense) {
            reduction(rt, x, wide, 2);
        }
        if (r.needs(0)) {
            if (!training) {
                out[0] = rt.empty(g.dtype(), x.sizes());
            } else if (dense) {
                out[0] = rt.emptyLike(x);
            } else {
                Tensor one = w == null ? rt.empty(wide) : null;
                out[0] = rt.emptyStrided(g.dtype(), x.sizes(), Copies.strides(x, format(x)));
                rt.free(one);
            }
        }
        rt.free(product);
        rt.free(sum);
        rt.free(deviation);
        return out;
    }

    /** {@code reshape(n, channels, -1)}: a copy where that is no view, or {@code null}. */
    private static @Nullable Tensor inPlanes(EagerRuntime rt, Tensor t) {
        long[] planes = {t.size(0), t.size(1), t.numel() / Math.max(1, t.size(0) * t.size(1))};
        return Shapes.viewStrides(t.sizes(), t.strides(), planes) == null ? rt.empty(t.dtype(), t.sizes()) : null;
    }

    /** batch_norm_use_channels_last_kernels. */
    private static boolean channelsLastKernels(Tensor t) {
        return Shapes.isChannelsLastContiguous(t.sizes(), t.strides()) && (t.dim() == 4 || t.dim() == 5)
                || t.isContiguous() && t.stride(1) == 1;
    }

    /**
     * Staging and semaphores of kernels that reduce over everything but the last-moving channels, where several blocks
     * share a channel (flexible_launch_configs).
     *
     * @param values how many numbers a channel and block hands over
     */
    private static void reduction(EagerRuntime rt, Tensor x, DType wide, int values) {
        long channels = x.size(1);
        long rows = x.numel() / channels;
        long width = Math.min(Long.highestOneBit(channels), WARP);
        long height =
                Math.min(Long.highestOneBit(Math.max(1, Bytes.ceilDiv(rows, ELEMENTS_PER_THREAD))), MAX_BLOCK / width);
        if (width * height != MAX_BLOCK) {
            width = Math.min(Long.highestOneBit(channels), MAX_BLOCK / height);
        }
        long gridRows = Math.min(Bytes.ceilDiv(rows, height * ELEMENTS_PER_THREAD), MAX_GRID_ROWS);
        if (gridRows >= 8) {
            Tensor staging = rt.empty(wide, values * channels * gridRows);
            Tensor semaphores = rt.empty(DType.INT32, Bytes.ceilDiv(channels, width));
            rt.free(semaphores);
            rt.free(staging);
        }
    }
}
