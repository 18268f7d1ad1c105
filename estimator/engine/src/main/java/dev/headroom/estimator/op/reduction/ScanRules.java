package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Running sums (ATen/native/cuda/ScanKernels.cpp). */
final class ScanRules {
    private ScanRules() {}

    /** Integers other than int64 are converted after the result was made. */
    static Tensor cumsum(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        DType type = c.type("dtype", t.dtype().isFloatingPoint() ? t.dtype() : DType.INT64);
        return cumsum(rt, t, type, Math.toIntExact(c.integer("dim")));
    }

    /** What is one row is summed up by CUB (ATen/native/cuda/ScanUtils.cuh, scan_dim). */
    static void scan(EagerRuntime rt, Tensor t, DType type, int dim) {
        if (t.dim() > 0 && t.numel() > 0 && t.numel() == t.size(dim)) {
            rt.free(rt.scratch(CubScratch.scan(t.numel(), type)));
        }
    }

    private static Tensor cumsum(EagerRuntime rt, Tensor t, DType type, int dim) {
        Recorder r = rt.record("CumsumBackward0", t);
        Tensor out = rt.empty(type, t.sizes());
        Tensor converted = t.dtype() == type ? null : rt.emptyLike(t, type);
        Tensor dense = t.isContiguous() || converted != null ? null : rt.empty(t.dtype(), t.sizes());
        scan(rt, t, type, dim);
        rt.free(dense);
        rt.free(converted);
        return r.gradient(0, g -> {
                    // cumsum_backward: flip, cumsum, flip; nothing for a single element.
                    if (g.numel() <= 1 || g.size(dim) == 1) {
                        return g;
                    }
                    Tensor flipped = rt.emptyLike(g);
                    Tensor summed = cumsum(rt, flipped, g.dtype(), dim);
                    return rt.emptyLike(summed);
                })
                .output(out);
    }
}
