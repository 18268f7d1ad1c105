package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.NonZeroScratch;
import dev.headroom.estimator.op.elementwise.Blending;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code masked_scatter}: the places of a mask are filled from another tensor (ATen/native/cuda/IndexKernel.cpp,
 * masked_scatter__cuda; ATen/native/TensorAdvancedIndexing.cpp, masked_scatter_backward_symint).
 */
final class MaskedScatter {
    private MaskedScatter() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor self = c.tensor("self");
        Tensor mask = c.tensor("mask");
        Tensor source = c.tensor("source");
        if (mask.numel() > self.numel()) {
            throw new NoRule("masked_scatter into a tensor that the mask widens");
        }
        Recorder r = rt.record("MaskedScatterBackward0", self, source);
        Saved kept = r.save(mask);
        Tensor out = rt.empty(self.dtype(), self.sizes());
        long n = self.numel();
        rt.empty(DType.INT64, n); // sums, there until the end
        Tensor dense = mask.numel() == n ? null : rt.empty(DType.BOOL, n);
        rt.free(rt.scratch(CubScratch.scan(n, DType.INT64.bytes())));
        rt.free(dense);
        long[] sizes = source.sizes();
        return r.gradient(0, g -> Blending.maskedFill(rt, g, kept.get(), false))
                .gradient(1, g -> picked(rt, g, kept.get(), sizes))
                .output(out);
    }

    /** What the mask picks of a gradient, filled up with zeros. */
    private static Tensor picked(EagerRuntime rt, Tensor g, Tensor mask, long[] sizes) {
        long n = g.numel();
        Tensor dense = mask.numel() == n ? null : rt.empty(DType.BOOL, n);
        NonZeroScratch.use(rt, n);
        rt.free(dense);
        rt.empty(g.dtype(), sizes); // zeros, there until the end
        return rt.empty(g.dtype(), sizes);
    }
}
