package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** {@code segment_reduce} (ATen/native/cuda/SegmentReduce.cu): rows of lengths that a tensor tells. */
final class Segments {
    private Segments() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        if (!c.flag("unsafe", false)) {
            throw new NoRule("segments whose lengths are looked at; pass unsafe=True");
        }
        Tensor data = c.tensor("data");
        boolean offsets = c.has("offsets");
        Tensor bounds = c.tensor(offsets ? "offsets" : "lengths");
        int axis = bounds.dim() - 1;
        Recorder r = rt.record("SegmentReduceBackward0", data);
        Saved kept = r.save(data);
        Saved ends = r.save(bounds);
        long[] sizes = data.sizes().clone();
        sizes[axis] = bounds.size(-1) - (offsets ? 1 : 0);
        Tensor out = rt.empty(data.dtype(), sizes);
        places(rt, bounds, offsets);
        r.saveOutput(out);
        return r.gradient(0, g -> {
                    Tensor gradient = Creation.zeros(rt, g.dtype(), kept.get().sizes());
                    places(rt, ends.get(), offsets);
                    return gradient;
                })
                .output(out);
    }

    /** Lengths become offsets by a running sum behind a zero; offsets become lengths by differences. */
    private static void places(EagerRuntime rt, Tensor bounds, boolean offsets) {
        int last = bounds.dim() - 1;
        long[] sizes = bounds.sizes().clone();
        sizes[last] += offsets ? -1 : 1;
        if (offsets) {
            rt.free(rt.empty(bounds.dtype(), sizes));
            return;
        }
        long[] one = bounds.sizes().clone();
        one[last] = 1;
        Tensor zero = rt.empty(bounds.dtype(), one);
        Tensor joined = rt.empty(bounds.dtype(), sizes);
        rt.free(zero);
        ScanRules.scan(rt, joined, DType.INT64, last);
        rt.free(joined);
    }
}
