package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Where a tensor is not zero (ATen/native/cuda/Nonzero.cu, nonzero_cuda_out_impl). How many places there are is in the
 * data; a graph that Headroom writes says it.
 */
final class NonZero {
    private NonZero() {}

    static Tensor run(Call c) {
        if (!c.has("count")) {
            throw new NoRule("nonzero of an unknown number of places");
        }
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor dense = Copies.contiguous(rt, t);
        Tensor found = rt.scratch(DType.INT32.bytes());
        rt.free(rt.scratch(1));
        rt.free(rt.scratch(CubScratch.scan(dense.numel(), DType.INT32.bytes())));
        rt.free(found);
        rt.freeUnless(dense, t);
        return rt.empty(DType.INT64, c.integer("count"), t.dim());
    }
}
