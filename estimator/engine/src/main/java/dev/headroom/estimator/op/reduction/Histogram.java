package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Extrema;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Counting into bins (ATen/native/cuda/SummaryOps.cu, _histc_cuda_template). */
final class Histogram {
    private Histogram() {}

    /** Bins are counted where they lie; bounds that are equal are taken from the values. */
    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor out = rt.empty(t.dtype(), c.integer("bins", 100));
        if (c.number("min", 0) == c.number("max", 0)) {
            Extrema.read(rt, t, rt.options().torch().histogramReadsBothEnds(), false);
        }
        return out;
    }

    /**
     * {@code bincount} (SummaryOps.cu, _bincount_cuda): the host reads the least and the greatest value, then each is
     * counted where it lies. Weights of other types than the two common ones are taken in double precision. How many
     * counts there are is the greatest value's, or {@code minlength}, which no value is taken to exceed.
     */
    static Tensor bincount(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long bins = c.integer("minlength", 0);
        if (bins == 0 && t.numel() > 0) {
            throw new NoRule("bincount without minlength has as many counts as the largest value says, which no archive"
                    + " holds");
        }
        Tensor weights = c.tensorOrNull("weights");
        if (t.numel() == 0) {
            return rt.empty(DType.INT64, bins);
        }
        DType type = weights == null ? DType.INT64 : weights.dtype() == DType.FLOAT32 ? DType.FLOAT32 : DType.FLOAT64;
        Tensor converted = weights == null || weights.dtype() == type ? null : rt.emptyLike(weights, type);
        Tensor[] ends = Extrema.both(rt, t, Reductions.mask(null, t.dim()), false);
        Tensor out = rt.empty(type, bins);
        rt.free(ends[0]);
        rt.free(ends[1]);
        rt.free(converted);
        return out;
    }
}
