package dev.headroom.executor.op.normalization;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.GroupNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code group_norm} (aten/src/ATen/native/group_norm.cpp, aten/src/ATen/native/cuda/group_norm_kernel.cu). */
public final class GroupNorms {
    private GroupNorms() {}

    public static void register(Operators o) {
        o.add1(
                "aten.group_norm",
                (e, a) -> of(
                        e,
                        a.tensor("input"),
                        a.optional("weight"),
                        a.optional("bias"),
                        (int) a.integer("num_groups", 1),
                        a.real("eps", 1e-5)));
    }

    static Tensor of(Eager e, Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, int groups, double epsilon) {
        if (x.dims() < 2 || x.size(1) % groups != 0) {
            throw new UserInputException("group_norm: channels cannot be shared among " + groups + " groups");
        }
        Recorder r = e.record("NativeGroupNormBackward0", x, weight, bias);
        SavedTensor savedX = r.save(x);
        SavedTensor savedWeight = r.save(weight);
        DType statistics = weight == null ? x.dtype() : weight.dtype();
        Tensor out = e.empty(x.dtype(), x.sizes());
        Tensor mean = e.empty(statistics, x.size(0), groups);
        Tensor rstd = e.empty(statistics, x.size(0), groups);
        try (Scope s = e.open()) {
            Tensor packed = Formats.packed(e, x);
            DType type = NativeBatchNorms.accumulator(x.dtype());
            if (type != statistics) {
                e.empty(type, x.size(0), groups);
                e.empty(type, x.size(0), groups);
            }
            boolean affine = weight != null || bias != null;
            if (affine && x.elements() > x.size(0) * x.size(1)) {
                e.empty(type, x.size(0), x.size(1));
                e.empty(type, x.size(0), x.size(1));
            }
            e.backend()
                    .normalizations()
                    .groupNorm(new GroupNormCall(packed, weight, bias, mean, rstd, groups, epsilon), out);
        }
        SavedTensor savedMean = r.save(mean);
        SavedTensor savedRstd = r.save(rstd);
        return r.backward(g -> {
                    GroupNormCall call = new GroupNormCall(
                            savedX.get(),
                            savedWeight.getOrNull(),
                            null,
                            savedMean.get(),
                            savedRstd.get(),
                            groups,
                            epsilon);
                    return backward(e, r, g[0], call);
                })
                .output(out);
    }

    private static @Nullable Tensor[] backward(Eager e, Recorder r, Tensor given, GroupNormCall kept) {
        Tensor weight = kept.weight();
        Tensor g = Formats.packed(e, given);
        Tensor x = Formats.packed(e, kept.x());
        int groups = kept.groups();
        GroupNormCall call = new GroupNormCall(x, weight, null, kept.mean(), kept.rstd(), groups, kept.epsilon());
        DType type = NativeBatchNorms.accumulator(x.dtype());
        Tensor gradX = r.needs(0) ? e.empty(x.dtype(), x.sizes()) : null;
        boolean none = x.elements() == 0; // then both are zeros, as arguments of one call: made from the last
        Tensor first = LayerNorm.gradientOf(e, r.needs(none ? 2 : 1), weight);
        Tensor second = LayerNorm.gradientOf(e, r.needs(none ? 1 : 2), weight);
        Tensor gradWeight = none ? second : first;
        Tensor gradBias = none ? first : second;
        try (Scope s = e.open()) {
            boolean spatial = x.elements() > x.size(0) * x.size(1);
            Tensor sums = spatial ? e.empty(type, x.size(0), x.size(1)) : null;
            Tensor products = spatial ? e.empty(type, x.size(0), x.size(1)) : null;
            Tensor groupSums = gradX == null ? null : e.empty(type, x.size(0), groups);
            Tensor groupProducts = gradX == null ? null : e.empty(type, x.size(0), groups);
            boolean scaled = gradX != null && spatial && weight != null;
            Tensor scale = scaled ? e.empty(type, x.size(0), x.size(1)) : null;
            e.backend().normalizations().groupNormBackward(call, g, new NormGradients(gradX, gradWeight, gradBias));
            e.free(groupProducts);
            e.free(groupSums);
            e.free(scale);
            e.free(products);
            e.free(sums);
        }
        return new Tensor[] {gradX, gradWeight, gradBias};
    }
}
