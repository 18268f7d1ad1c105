package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Layer and root-mean-square normalisation (ATen/native/cuda/layer_norm_kernel.cu). */
final class LayerNorm {
    private static final long MANY_ROWS = 64 * 1024;
    private static final long ROWS_PER_BLOCK = 32;
    private static final long WARP = 32;
    private static final long MAX_GRID = 32 * 1024;

    private LayerNorm() {}

    /** The statistics are results that nobody takes: the first goes first. */
    static Tensor layerNorm(Call c) {
        Tensor[] made = nativeLayerNorm(c);
        c.runtime().free(made[1]);
        c.runtime().free(made[2]);
        return made[0];
    }

    /** Result, mean and reciprocal deviation; the input is kept as it came. */
    static Tensor[] nativeLayerNorm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("input");
        Tensor w = c.tensorOrNull("weight");
        Tensor b = c.tensorOrNull("bias");
        int normalized = c.integers("normalized_shape").length;
        Recorder r = rt.record("NativeLayerNormBackward0", x, w, b);
        Saved input = r.save(x);
        Saved weight = r.save(w);
        Saved offset = r.save(b); // native_layer_norm_backward is given it, too: under autocast it is a copy
        Tensor dense = Copies.dense(rt, x);
        Tensor out = rt.empty(x.dtype(), x.sizes());
        long[] rows = rows(x, normalized);
        Tensor mean = rt.empty(BatchNorm.statistics(x.dtype()), rows);
        Tensor deviation = rt.empty(BatchNorm.statistics(x.dtype()), rows);
        rt.freeUnless(dense, x);
        Saved means = r.saveOutput(mean);
        Saved deviations = r.saveOutput(deviation);
        r.gradients(grads -> backward(rt, r, grads[0], input.get(), weight.getOrNull(), normalized))
                .again(grads -> LayerNormTwice.backward(
                        rt,
                        grads[0],
                        input.get(),
                        weight.getOrNull(),
                        offset.getOrNull(),
                        means.get(),
                        deviations.get(),
                        () -> backward(rt, r, grads[0], input.get(), weight.getOrNull(), normalized)))
                .output(out);
        r.nonDifferentiable(mean).nonDifferentiable(deviation);
        return new Tensor[] {out, mean, deviation};
    }

    /** {@code _fused_rms_norm}: no mean. */
    static Tensor rmsNorm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("input");
        Tensor w = c.tensorOrNull("weight");
        int normalized = c.integers("normalized_shape").length;
        Recorder r = rt.record("FusedRmsNormBackward0", x, w);
        Saved input = r.save(x);
        Saved weight = r.save(w);
        Tensor dense = Copies.dense(rt, x);
        Tensor out = rt.empty(x.dtype(), x.sizes());
        Tensor deviation = rt.empty(BatchNorm.statistics(x.dtype()), rows(x, normalized));
        rt.freeUnless(dense, x);
        r.saveOutput(deviation);
        r.gradients(grads -> backward(rt, r, grads[0], input.get(), weight.getOrNull(), normalized))
                .output(out);
        r.nonDifferentiable(deviation);
        rt.free(deviation);
        return out;
    }

    private static long[] rows(Tensor x, int normalized) {
        long[] rows = x.sizes().clone();
        for (int i = 0; i < normalized; i++) {
            rows[rows.length - 1 - i] = 1;
        }
        return rows;
    }

    private static Tensor[] backward(
            EagerRuntime rt, Recorder r, Tensor g, Tensor x, @Nullable Tensor w, int normalized) {
        Tensor[] out = new Tensor[r.inputs()];
        if (g == null) {
            return out;
        }
        // Arguments are made contiguous as they are evaluated, from the last to the first.
        Tensor dense = Copies.dense(rt, x);
        if (r.needs(0)) {
            out[0] = rt.empty(x.dtype(), x.sizes());
        }
        for (int i = 1; i < out.length; i++) {
            if (r.needs(i)) {
                out[i] = w == null
                        ? rt.empty(x.dtype(), java.util.Arrays.copyOfRange(x.sizes(), x.dim() - normalized, x.dim()))
                        : rt.empty(w.dtype(), w.sizes());
            }
        }
        Tensor gradient = Copies.dense(rt, g);
        partialSums(rt, x, normalized, out);
        rt.freeUnless(gradient, g);
        rt.freeUnless(dense, x);
        return out;
    }

    /** LaunchGammaBetaBackwardCUDAKernel: very many short rows are summed in two passes. */
    private static void partialSums(EagerRuntime rt, Tensor x, int normalized, Tensor[] out) {
        long width = 1;
        for (int i = 0; i < normalized; i++) {
            width *= x.size(-1 - i);
        }
        long rows = width == 0 ? 0 : x.numel() / width;
        if (rows <= MANY_ROWS || width / WARP >= rt.device().sms() / 2) {
            return;
        }
        long columns = (width + WARP - 1) / WARP;
        long blocks = Math.min(MAX_GRID / columns, (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
        Tensor[] parts = new Tensor[out.length];
        for (int i = 1; i < out.length; i++) {
            parts[i] = out[i] == null ? null : rt.empty(out[i].dtype(), blocks, width);
        }
        for (int i = 1; i < out.length; i++) {
            if (parts[i] != null) {
                DType type = out[i].dtype();
                Tensor sum = Reductions.reduce(
                        rt, parts[i], new boolean[] {true, false}, false, type, Reductions.accumulator(type));
                rt.free(out[i]);
                out[i] = sum;
            }
        }
        for (int i = out.length - 1; i > 0; i--) {
            rt.free(parts[i]);
        }
    }
}
