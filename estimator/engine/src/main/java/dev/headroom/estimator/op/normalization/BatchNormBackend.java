package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.view.Repetition;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Which kernels batch and instance normalisation run on (ATen/native/Normalization.cpp, _batch_norm_impl_index). */
final class BatchNormBackend {
    private BatchNormBackend() {}

    /**
     * ATen/native/Normalization.cpp, _batch_norm_impl_index. The archive's {@code cudnn_enabled} tells of the machine
     * that exported; on a GPU cuDNN is enabled.
     */
    static Tensor batchNorm(Call c) {
        EagerRuntime rt = c.runtime();
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
                && x.numel() < Integer.MAX_VALUE
                && x.dtype() != DType.BFLOAT16;
        return batchNorm(rt, x, w, b, training, cudnn, c.tensorOrNull("running_mean"), c.tensorOrNull("running_var"));
    }

    static Tensor batchNorm(
            EagerRuntime rt,
            Tensor x,
            @Nullable Tensor w,
            @Nullable Tensor b,
            boolean training,
            boolean cudnn,
            @Nullable Tensor... running) {
        return cudnn && training && w != null && b != null
                ? BatchNorm.cudnn(rt, x, w, b, running)
                : BatchNorm.nativeKernels(rt, x, w, b, training, !cudnn, running);
    }

    /**
     * ATen/native/Normalization.cpp, instance_norm: a batch norm of one image with batch times channels channels;
     * weight, bias and running statistics are repeated for it.
     */
    static Tensor instanceNorm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("input");
        long batch = x.size(0);
        Tensor w = repeated(rt, c.tensorOrNull("weight"), batch);
        Tensor b = repeated(rt, c.tensorOrNull("bias"), batch);
        Tensor mean = repeated(rt, c.tensorOrNull("running_mean"), batch);
        Tensor variance = repeated(rt, c.tensorOrNull("running_var"), batch);
        boolean training = c.flag("use_input_stats", true);
        long[] sizes = x.sizes().clone();
        sizes[0] = 1;
        sizes[1] = batch * x.size(1);
        Tensor dense = Copies.contiguous(rt, x);
        Tensor flat = Views.view(rt, dense, sizes);
        boolean cudnn = w != null && b != null && (!x.dtype().isReducedFloat() || w.dtype() == DType.FLOAT32);
        Tensor made = batchNorm(rt, flat, w, b, training, cudnn, mean, variance);
        for (Tensor running : new Tensor[] {mean, variance}) {
            if (running != null && training) {
                // alias(running).copy_(repeated.view(b, c).mean(0))
                rt.free(Reductions.mean(
                        rt, Views.view(rt, running, batch, x.size(1)), new long[] {0}, false, running.dtype()));
            }
        }
        Tensor out = Views.view(rt, made, x.sizes());
        rt.free(made);
        rt.free(b);
        return out;
    }

    private static @Nullable Tensor repeated(EagerRuntime rt, @Nullable Tensor t, long times) {
        return t == null ? null : Repetition.repeat(rt, t, times);
    }
}
