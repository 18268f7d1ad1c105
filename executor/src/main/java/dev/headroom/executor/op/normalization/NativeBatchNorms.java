package dev.headroom.executor.op.normalization;

import dev.headroom.executor.autograd.Backward;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.BatchNormCall;
import dev.headroom.executor.kernel.BatchNormCall.Running;
import dev.headroom.executor.kernel.GivenNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** PyTorch's own batch normalisation (aten/src/ATen/native/cuda/Normalization.cu). */
final class NativeBatchNorms {
    private NativeBatchNorms() {}

    /** {@code native_batch_norm}: statistics are kept in the type that values are accumulated in. */
    static Tensor of(Eager e, Tensor x, BatchNorms.Channels c, BatchNorms.Numbers n) {
        var kernels = e.backend().normalizations();
        Recorder r = e.record("NativeBatchNormBackward0", x, c.weight(), c.bias());
        SavedTensor savedX = r.save(x);
        SavedTensor savedRunningMean = r.save(c.mean());
        SavedTensor savedRunningVariance = r.save(c.variance());
        SavedTensor savedWeight = r.save(c.weight());
        Tensor out = e.emptyLike(x);
        DType type = accumulator(x.dtype());
        Tensor mean = e.empty(type, x.size(1));
        Tensor invstd = e.empty(type, x.size(1));
        if (n.training()) {
            try (Scope s = e.open()) {
                BatchNormStaging.open(e, x, type, 4);
                general(e, x, invstd);
                kernels.batchNorm(
                        new BatchNormCall(x, c.weight(), c.bias(), mean, invstd, n.epsilon(), null),
                        new Running(c.mean(), c.variance(), n.momentum()),
                        out);
            }
            BatchNorms.changed(c);
        } else {
            BatchNorms.Given given = c.given();
            kernels.givenNorm(
                    new GivenNormCall(x, c.weight(), c.bias(), given.mean(), given.variance(), n.epsilon()), out);
        }
        SavedTensor savedMean = r.save(mean);
        SavedTensor savedInvstd = r.save(invstd);
        e.free(mean);
        e.free(invstd);
        Backward backward = n.training()
                ? g -> {
                    BatchNormCall call = new BatchNormCall(
                            savedX.get(),
                            savedWeight.getOrNull(),
                            null,
                            savedMean.get(),
                            savedInvstd.get(),
                            n.epsilon(),
                            null);
                    return trainingBackward(e, r, g[0], call);
                }
                : evaluationBackward(e, r, savedX, savedWeight, savedRunningMean, savedRunningVariance, n.epsilon());
        return r.backward(backward).output(out);
    }

    /**
     * Of an input in neither layout var_mean takes the statistics (batch_norm_mean_var, Impl::General), which copies
     * bfloat16 before (ReduceOpsUtils.h, make_reduction).
     */
    private static void general(Eager e, Tensor x, Tensor statistics) {
        if (x.isContiguous() || BatchNormStaging.isChannelsInnermost(x)) {
            return;
        }
        Tensor wide = x.dtype() == DType.BFLOAT16
                ? e.emptyStrided(DType.FLOAT32, x.sizes(), Layout.preserved(x.sizes(), x.strides()))
                : x;
        long[] kept = new long[x.dims()];
        Arrays.fill(kept, 1);
        kept[1] = x.size(1);
        Reductions.momentScratch(e, e.alias(statistics, kept, Layout.contiguous(kept), 0), wide);
    }

    /** The backward pass of what was normalised with the running statistics. */
    static Backward evaluationBackward(
            Eager e,
            Recorder r,
            SavedTensor x,
            SavedTensor weight,
            SavedTensor mean,
            SavedTensor variance,
            double epsilon) {
        return g -> {
            GivenNormCall call =
                    new GivenNormCall(x.get(), weight.getOrNull(), null, mean.get(), variance.get(), epsilon);
            return evaluationBackward(e, r, g[0], call);
        };
    }

    static DType accumulator(DType type) {
        return type.isReducedFloat() ? DType.FLOAT32 : type;
    }

    /** batch_norm_backward_cuda while training. */
    private static @Nullable Tensor[] trainingBackward(Eager e, Recorder r, Tensor g, BatchNormCall call) {
        Tensor x = call.x();
        Tensor weight = call.weight();
        var kernels = e.backend().normalizations();
        if (r.needs(0) && !BatchNormStaging.isChannelsInnermost(x)) {
            Tensor gradX = e.empty(x.dtype(), x.sizes()); // whatever the input's layout
            Tensor gradWeight = weight != null && r.needs(1) ? e.emptyLike(weight) : null;
            Tensor gradBias = weight != null && r.needs(2) ? e.emptyLike(weight) : null;
            kernels.batchNormBackward(call, g, new NormGradients(gradX, gradWeight, gradBias));
            return new Tensor[] {gradX, gradWeight, gradBias};
        }
        // Reduced first, then applied: two kernels with their sums between them.
        // The first kernel for channels last makes all four whatever is asked for
        // (batch_norm_backward_reduce_cuda_channels_last_template).
        boolean alike = BatchNormStaging.isChannelsInnermost(g) && BatchNormStaging.isChannelsInnermost(x);
        DType type = call.mean().dtype();
        Tensor sums = alike || r.needs(0) ? e.empty(type, x.size(1)) : null;
        Tensor products = alike || r.needs(0) ? e.empty(type, x.size(1)) : null;
        boolean weights = alike && weight != null;
        Tensor gradWeight = weights || r.needs(1) ? perChannel(e, weight, x) : null;
        Tensor gradBias = weights || r.needs(2) ? perChannel(e, weight, x) : null;
        if (alike) {
            try (Scope s = e.open()) {
                BatchNormStaging.open(e, x, type, 2);
            }
        }
        // With operands of different layouts the second kernel is a general one, which takes 1 for no weight.
        Tensor one = r.needs(0) && weight == null && !alike ? e.empty(type) : null;
        Tensor gradX = r.needs(0) ? Formats.empty(e, x.dtype(), Formats.suggested(x), x.sizes()) : null;
        kernels.batchNormBackward(call, g, new NormGradients(gradX, gradWeight, gradBias));
        e.free(one);
        e.free(products);
        e.free(sums);
        return new Tensor[] {gradX, wanted(e, r, 1, gradWeight), wanted(e, r, 2, gradBias)};
    }

    private static @Nullable Tensor wanted(Eager e, Recorder r, int input, @Nullable Tensor gradient) {
        if (r.needs(input)) {
            return gradient;
        }
        e.free(gradient);
        return null;
    }

    /** Room for the gradient of the weight, or of the bias, which is of its type. */
    private static Tensor perChannel(Eager e, @Nullable Tensor weight, Tensor x) {
        return e.empty(Objects.requireNonNull(weight, "a weight").dtype(), x.size(1));
    }

    /** The same with given statistics. */
    static @Nullable Tensor[] evaluationBackward(Eager e, Recorder r, Tensor g, GivenNormCall call) {
        Tensor x = call.x();
        Tensor weight = call.weight();
        var kernels = e.backend().normalizations();
        boolean reduces = r.needs(1) || r.needs(2);
        Tensor gradX = null;
        Tensor gradWeight = null;
        Tensor gradBias = null;
        if (reduces && r.needs(0) && !BatchNormStaging.isChannelsInnermost(x)) {
            gradX = e.empty(x.dtype(), x.sizes()); // whatever the input's layout
            gradWeight = r.needs(1) ? e.emptyLike(Objects.requireNonNull(weight, "a weight")) : null;
            gradBias = r.needs(2) ? e.emptyLike(Objects.requireNonNull(weight, "a weight")) : null;
            kernels.givenNormBackward(call, g, new NormGradients(gradX, gradWeight, gradBias));
            return new Tensor[] {gradX, gradWeight, gradBias};
        }
        DType type = accumulator(x.dtype());
        // Given by the forward pass but for the library's, which keeps none in evaluation.
        Tensor invstd = x.dtype().isReducedFloat() || weight == null ? null : e.empty(type, x.size(1));
        Tensor sums = reduces && r.needs(0) ? e.empty(type, x.size(1)) : null;
        Tensor products = reduces && r.needs(0) ? e.empty(type, x.size(1)) : null;
        gradWeight = r.needs(1) ? perChannel(e, weight, x) : null;
        gradBias = r.needs(2) ? perChannel(e, weight, x) : null;
        gradX = r.needs(0) ? e.emptyLike(g, x.dtype()) : null;
        kernels.givenNormBackward(call, g, new NormGradients(gradX, gradWeight, gradBias));
        e.free(products);
        e.free(sums);
        e.free(invstd);
        return new Tensor[] {gradX, gradWeight, gradBias};
    }
}
