package dev.headroom.executor.op.normalization;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.BatchNormCall;
import dev.headroom.executor.kernel.BatchNormCall.Library;
import dev.headroom.executor.kernel.BatchNormCall.Running;
import dev.headroom.executor.kernel.GivenNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code batch_norm} (aten/src/ATen/native/Normalization.cpp, _batch_norm_impl_index). */
final class BatchNorms {
    /** Rows that cuDNN takes at most (_select_batch_norm_backend). */
    private static final long MOST_ROWS = 880801;

    private static final long MOST_ROWS_EVALUATED = 65535;

    /** CUDNN_BN_MIN_EPSILON. */
    private static final double LEAST_EPSILON = 0;

    /** The affine map and the running statistics, each {@code null} or (c). */
    record Channels(
            @Nullable Tensor weight,
            @Nullable Tensor bias,
            @Nullable Tensor mean,
            @Nullable Tensor variance) {
        Channels packed(Eager e) {
            return new Channels(
                    weight == null ? null : Copies.contiguous(e, weight),
                    bias == null ? null : Copies.contiguous(e, bias),
                    mean == null ? null : Copies.contiguous(e, mean),
                    variance == null ? null : Copies.contiguous(e, variance));
        }

        /** The running statistics, for an evaluation. */
        Given given() {
            return new Given(
                    Objects.requireNonNull(mean, "running statistics"),
                    Objects.requireNonNull(variance, "running statistics"));
        }
    }

    /** Statistics that were given, (c) each. */
    record Given(Tensor mean, Tensor variance) {}

    record Numbers(boolean training, double momentum, double epsilon) {}

    private BatchNorms() {}

    /** Normalises every channel of (n, c, …). */
    static Tensor of(Eager e, Tensor x, Channels c, Numbers numbers) {
        if (isForLibrary(x, c, numbers)) {
            return e.call(() -> byLibrary(e, Copies.contiguous(e, x, Formats.suggested(x)), c.packed(e), numbers));
        }
        return NativeBatchNorms.of(e, x, c, numbers);
    }

    /** _select_batch_norm_backend. */
    private static boolean isForLibrary(Tensor x, Channels c, Numbers n) {
        Tensor weight = c.weight();
        if (weight == null || c.bias() == null || x.dtype() == DType.BFLOAT16) {
            return false;
        }
        boolean types =
                weight.dtype() != DType.BFLOAT16 && (x.dtype() != DType.FLOAT16 || weight.dtype() == DType.FLOAT32);
        boolean running = c.mean() != null && c.variance() != null;
        boolean statistics = running || c.mean() == null && c.variance() == null && n.training();
        boolean sizes = x.dims() >= 3
                && x.size(0) <= (n.training() ? MOST_ROWS : MOST_ROWS_EVALUATED)
                && x.elements() <= Integer.MAX_VALUE;
        return types && statistics && sizes && n.epsilon() >= LEAST_EPSILON;
    }

    /** cudnn_batch_norm (aten/src/ATen/native/cudnn/BatchNorm.cpp). */
    private static Tensor byLibrary(Eager e, Tensor x, Channels c, Numbers n) {
        var kernels = e.backend().normalizations();
        Recorder r = e.record("CudnnBatchNormBackward0", x, c.weight(), c.bias());
        SavedTensor savedX = r.save(x);
        Tensor out = Formats.empty(e, x.dtype(), Formats.suggested(x), x.sizes());
        SavedTensor savedRunningMean = r.save(c.mean());
        SavedTensor savedRunningVariance = r.save(c.variance());
        SavedTensor savedWeight = r.save(c.weight());
        if (!n.training()) {
            Given given = c.given();
            kernels.givenNorm(
                    new GivenNormCall(x, c.weight(), c.bias(), given.mean(), given.variance(), n.epsilon()), out);
            return r.backward(NativeBatchNorms.evaluationBackward(
                            e, r, savedX, savedWeight, savedRunningMean, savedRunningVariance, n.epsilon()))
                    .output(out);
        }
        DType type = Objects.requireNonNull(c.weight(), "a weight").dtype();
        Tensor mean = e.empty(type, x.size(1));
        Tensor invstd = e.empty(type, x.size(1));
        Tensor reserve = e.workspace(kernels.batchNormReserveBytes(x));
        Tensor workspace = e.workspace(kernels.batchNormWorkspaceBytes(x, false));
        kernels.batchNorm(
                new BatchNormCall(x, c.weight(), c.bias(), mean, invstd, n.epsilon(), new Library(reserve, workspace)),
                new Running(c.mean(), c.variance(), n.momentum()),
                out);
        changed(c);
        e.free(workspace);
        SavedTensor savedMean = r.save(mean);
        SavedTensor savedInvstd = r.save(invstd);
        SavedTensor savedReserve = r.save(reserve);
        return r.backward(g -> {
                    Kept kept = new Kept(
                            savedX.get(),
                            savedWeight.get(),
                            savedMean.get(),
                            savedInvstd.get(),
                            n.epsilon(),
                            savedReserve.get());
                    return libraryBackward(e, g[0], kept);
                })
                .output(out);
    }

    /** The running statistics were moved. */
    static void changed(Channels c) {
        if (c.mean() != null) {
            Given moved = c.given();
            moved.mean().storage().changed();
            moved.variance().storage().changed();
        }
    }

    /** What the library's forward pass leaves for its backward pass. */
    private record Kept(Tensor x, Tensor weight, Tensor mean, Tensor invstd, double epsilon, Tensor reserve) {}

    private static Tensor[] libraryBackward(Eager e, Tensor given, Kept kept) {
        Tensor x = kept.x();
        Tensor weight = kept.weight();
        var kernels = e.backend().normalizations();
        MemoryFormat format =
                Layout.isContiguous(x.sizes(), x.strides()) ? MemoryFormat.CONTIGUOUS : Formats.suggested(x);
        Tensor g = Formats.packed(e, given, format);
        Tensor gradX = Formats.empty(e, x.dtype(), Formats.suggested(x), x.sizes());
        Tensor gradWeight = e.empty(weight.dtype(), weight.sizes());
        Tensor gradBias = e.empty(weight.dtype(), weight.sizes());
        Tensor workspace = e.workspace(kernels.batchNormWorkspaceBytes(x, true));
        BatchNormCall call = new BatchNormCall(
                x, weight, null, kept.mean(), kept.invstd(), kept.epsilon(), new Library(kept.reserve(), workspace));
        kernels.batchNormBackward(call, g, new NormGradients(gradX, gradWeight, gradBias));
        e.free(workspace);
        return new Tensor[] {gradX, gradWeight, gradBias};
    }
}
