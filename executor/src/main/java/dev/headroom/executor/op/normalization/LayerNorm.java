package dev.headroom.executor.op.normalization;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.LayerNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.nullness.Contract;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code layer_norm} (aten/src/ATen/native/cuda/layer_norm_kernel.cu). */
public final class LayerNorm {
    /** Rows above which the gradients of weight and bias are summed in two passes. */
    private static final long MANY_ROWS = 64 * 1024;

    private static final int ROWS_OF_BLOCK = 32;
    private static final int COLUMNS_OF_BLOCK = 32;
    private static final int MOST_BLOCKS = 32 * 1024;

    private LayerNorm() {}

    public static void register(Operators o) {
        o.add1(
                "aten.layer_norm",
                (e, a) -> layerNorm(
                        e,
                        a.tensor("input"),
                        a.integers("normalized_shape").length,
                        a.optional("weight"),
                        a.optional("bias"),
                        a.real("eps", 1e-5)));
    }

    /** @param dims how many of the last dimensions are normalised together */
    static Tensor layerNorm(
            Eager e, Tensor input, int dims, @Nullable Tensor weight, @Nullable Tensor bias, double epsilon) {
        return e.call(() -> {
            Recorder r = e.record("NativeLayerNormBackward0", input, weight, bias);
            SavedTensor savedInput = r.save(input);
            SavedTensor savedWeight = r.save(weight);
            r.save(bias);
            Tensor x = Copies.packed(e, input);
            long n = 1;
            for (int d = 1; d <= dims; d++) {
                n *= input.size(-d);
            }
            long rows = input.elements() / Math.max(1, n);
            DType wide = wide(input.dtype());
            Tensor out = e.empty(input.dtype(), input.sizes());
            Tensor mean = e.empty(wide, rows);
            Tensor rstd = e.empty(wide, rows);
            Tensor into = matrix(e, out, n);
            LayerNormCall call = new LayerNormCall(matrix(e, x, n), row(e, weight), row(e, bias), mean, rstd, epsilon);
            e.backend().normalizations().layerNorm(call, into);
            SavedTensor savedMean = r.saveOutput(mean);
            SavedTensor savedRstd = r.saveOutput(rstd);
            e.free(mean);
            e.free(rstd);
            return r.backward(g -> {
                        LayerNormCall kept = new LayerNormCall(
                                savedInput.get(),
                                savedWeight.getOrNull(),
                                null,
                                savedMean.get(),
                                savedRstd.get(),
                                epsilon);
                        return gradients(e, r, g[0], kept);
                    })
                    .output(out);
        });
    }

    /** Statistics are kept in the accumulation type. */
    static DType wide(DType type) {
        return type.isReducedFloat() ? DType.FLOAT32 : type;
    }

    /** @param call over the tensors as they were kept */
    static @Nullable Tensor[] gradients(Eager e, Recorder r, Tensor grad, LayerNormCall call) {
        Tensor input = call.x();
        Tensor weight = call.weight();
        Tensor x = Copies.packed(e, input);
        long rows = call.rstd().elements();
        long n = input.elements() / Math.max(1, rows);
        Tensor dx = r.needs(0) ? e.empty(input.dtype(), input.sizes()) : null;
        Tensor dweight = gradientOf(e, r.needs(1), weight);
        Tensor dbias = r.needs(2)
                ? e.empty(
                        input.dtype(),
                        Objects.requireNonNull(weight, "a weight").sizes())
                : null;
        Tensor g = Copies.packed(e, grad);
        try (Scope s = e.open()) {
            Tensor intoX = dx == null ? null : matrix(e, dx, n);
            NormGradients gradients = new NormGradients(intoX, row(e, dweight), row(e, dbias));
            Tensor from = matrix(e, g, n);
            LayerNormCall rowByRow =
                    new LayerNormCall(matrix(e, x, n), row(e, weight), null, call.mean(), call.rstd(), call.epsilon());
            e.backend().normalizations().layerNormBackward(rowByRow, from, gradients);
        }
        if (rows > MANY_ROWS && n / COLUMNS_OF_BLOCK < e.settings().gpu().sms() / 2) {
            return inTwoPasses(e, dx, dweight, dbias, rows, n);
        }
        return new Tensor[] {dx, dweight, dbias};
    }

    /** Room for the gradient of a parameter, if that is wanted. */
    static @Nullable Tensor gradientOf(Eager e, boolean wanted, @Nullable Tensor parameter) {
        Tensor like = wanted ? Objects.requireNonNull(parameter, "a parameter") : null;
        return like == null ? null : e.empty(like.dtype(), like.sizes());
    }

    /** LaunchGammaBetaBackwardCUDAKernel: partial sums of blocks of rows, then their sum as a fresh tensor. */
    private static @Nullable Tensor[] inTwoPasses(
            Eager e, @Nullable Tensor dx, @Nullable Tensor dweight, @Nullable Tensor dbias, long rows, long n) {
        long wide = Bytes.ceilDiv(n, COLUMNS_OF_BLOCK);
        long blocks = Math.min(MOST_BLOCKS / wide, Bytes.ceilDiv(rows, ROWS_OF_BLOCK));
        Tensor weights = partialSums(e, dweight, blocks);
        Tensor biases = partialSums(e, dbias, blocks);
        return new Tensor[] {dx, total(e, weights, dweight), total(e, biases, dbias)};
    }

    private static @Nullable Tensor partialSums(Eager e, @Nullable Tensor whole, long blocks) {
        if (whole == null) {
            return null;
        }
        Tensor partial = e.empty(whole.dtype(), blocks, whole.elements());
        Elementwise.fill(e, partial, 0);
        try (Scope s = e.open()) {
            Copies.fill(e, e.alias(partial, new long[] {whole.elements()}, new long[] {1}, 0), row(e, whole));
        }
        return partial;
    }

    private static @Nullable Tensor total(Eager e, @Nullable Tensor partial, @Nullable Tensor whole) {
        if (partial == null || whole == null) {
            return null;
        }
        Tensor sum = Reductions.sum(e, partial, new long[] {1, partial.size(1)}, partial.dtype());
        e.free(whole);
        return e.alias(sum, whole.sizes(), Layout.contiguous(whole.sizes()), 0);
    }

    static Tensor matrix(Eager e, Tensor t, long n) {
        return e.alias(t, new long[] {t.elements() / Math.max(1, n), n}, new long[] {n, 1}, t.offset());
    }

    @Contract("_, !null -> !null")
    static @Nullable Tensor row(Eager e, @Nullable Tensor t) {
        return t == null ? null : e.alias(t, new long[] {t.elements()}, new long[] {1}, t.offset());
    }
}
