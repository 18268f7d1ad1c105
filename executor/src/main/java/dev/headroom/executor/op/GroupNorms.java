package dev.headroom.executor.op;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/** {@code group_norm} (aten/src/ATen/native/group_norm.cpp, aten/src/ATen/native/cuda/group_norm_kernel.cu). */
final class GroupNorms {
    private GroupNorms() {}

    static void register(Operators o) {
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

    static Tensor of(Eager e, Tensor x, Tensor weight, Tensor bias, int groups, double epsilon) {
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
            e.backend().normalizations().groupNorm(out, packed, weight, bias, mean, rstd, groups, epsilon);
        }
        SavedTensor savedMean = r.save(mean);
        SavedTensor savedRstd = r.save(rstd);
        return r.backward(g ->
                        backward(e, r, g[0], savedX.get(), savedWeight.get(), savedMean.get(), savedRstd.get(), groups))
                .result(out);
    }

    private static Tensor[] backward(
            Eager e, Recorder r, Tensor given, Tensor givenX, Tensor weight, Tensor mean, Tensor rstd, int groups) {
        Tensor g = Formats.packed(e, given);
        Tensor x = Formats.packed(e, givenX);
        DType type = NativeBatchNorms.accumulator(x.dtype());
        Tensor gradX = r.needs(0) ? e.empty(x.dtype(), x.sizes()) : null;
        Tensor gradWeight = r.needs(1) ? e.empty(weight.dtype(), weight.sizes()) : null;
        Tensor gradBias = r.needs(2) ? e.empty(weight.dtype(), weight.sizes()) : null;
        try (Scope s = e.open()) {
            boolean spatial = x.elements() > x.size(0) * x.size(1);
            Tensor sums = spatial ? e.empty(type, x.size(0), x.size(1)) : null;
            Tensor products = spatial ? e.empty(type, x.size(0), x.size(1)) : null;
            if (gradX != null) {
                Tensor second = e.empty(type, x.size(0), groups);
                Tensor third = e.empty(type, x.size(0), groups);
                Tensor first = spatial && weight != null ? e.empty(type, x.size(0), x.size(1)) : null;
                e.backend()
                        .normalizations()
                        .groupNormBackward(gradX, gradWeight, gradBias, g, x, weight, mean, rstd, groups);
                e.drop(third);
                e.drop(second);
                e.drop(first);
            } else {
                e.backend()
                        .normalizations()
                        .groupNormBackward(null, gradWeight, gradBias, g, x, weight, mean, rstd, groups);
            }
            e.drop(products);
            e.drop(sums);
        }
        return new Tensor[] {gradX, gradWeight, gradBias};
    }
}
