package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Extrema;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;

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
}
