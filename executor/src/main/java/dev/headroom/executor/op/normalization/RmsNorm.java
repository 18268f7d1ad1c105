package dev.headroom.executor.op.normalization;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.LayerNormCall;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code rms_norm}, fused (aten/src/ATen/native/layer_norm.cpp, rms_norm_symint; cuda/layer_norm_kernel.cu): layer
 * normalisation of which nothing is taken off, so that no means are kept.
 */
public final class RmsNorm {
    /** Added where no epsilon is given: the least step of the type that the kernel computes in. */
    private static final double FLOAT_STEP = Math.ulp(1f);

    private static final double DOUBLE_STEP = Math.ulp(1d);

    private RmsNorm() {}

    public static void register(Operators o) {
        o.add1("aten.rms_norm", RmsNorm::apply);
    }

    private static Tensor apply(Eager e, Arguments a) {
        Tensor input = a.tensor("input");
        Tensor weight = a.optional("weight");
        if (weight != null && weight.dtype() != input.dtype()) {
            throw new UserInputException("rms_norm of " + input.dtype() + " with a weight of " + weight.dtype()
                    + ", which PyTorch does not fuse, is not supported by the executor");
        }
        DType wide = LayerNorm.wide(input.dtype());
        double epsilon = a.real("eps", wide == DType.FLOAT64 ? DOUBLE_STEP : FLOAT_STEP);
        int dims = a.integers("normalized_shape").length;
        return e.call(() -> {
            Recorder r = e.record("FusedRmsNormBackward0", input, weight, null);
            SavedTensor savedInput = r.save(input);
            SavedTensor savedWeight = r.save(weight);
            Tensor x = Copies.packed(e, input);
            long n = 1;
            for (int d = 1; d <= dims; d++) {
                n *= input.size(-d);
            }
            Tensor out = e.empty(input.dtype(), input.sizes());
            Tensor rstd = e.empty(wide, input.elements() / Math.max(1, n));
            Tensor rows = LayerNorm.matrix(e, x, n);
            LayerNormCall call = new LayerNormCall(rows, LayerNorm.row(e, weight), null, null, rstd, epsilon);
            e.backend().normalizations().layerNorm(call, LayerNorm.matrix(e, out, n));
            SavedTensor savedRstd = r.saveOutput(rstd);
            e.free(rstd);
            return r.backward(g -> {
                        LayerNormCall kept = new LayerNormCall(
                                savedInput.get(), savedWeight.getOrNull(), null, null, savedRstd.get(), epsilon);
                        @Nullable Tensor[] gradients = LayerNorm.gradients(e, r, g[0], kept);
                        return new Tensor[] {gradients[0], gradients[1], null};
                    })
                    .output(out);
        });
    }
}
