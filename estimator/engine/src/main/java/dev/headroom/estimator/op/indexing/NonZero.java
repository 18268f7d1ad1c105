package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.NonZeroScratch;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/**
 * Where a tensor is not zero (ATen/native/cuda/Nonzero.cu, nonzero_cuda_out_impl). How many places there are is in the
 * data; a graph that Headroom writes says it.
 */
final class NonZero {
    private NonZero() {}

    /** {@code nonzero_numpy}, and {@code where} of a condition alone: the places of each dimension, views. */
    static Tensor[] apart(Body b, Call c) {
        Tensor places = b.made(found(c, c.tensor("self", "condition")));
        Tensor[] columns = b.all("unbind.int", places, 1);
        b.giveAll(columns);
        return columns;
    }

    static Tensor run(Call c) {
        return found(c, c.tensor("self"));
    }

    private static Tensor found(Call c, Tensor t) {
        search(c.runtime(), t);
        if (!c.has("count")) {
            c.runtime().workspaces().noteBound();
        }
        return c.runtime().empty(DType.INT64, c.has("count") ? c.integer("count") : t.numel(), t.dim());
    }

    /** {@code masked_select}: the places are found, then read. */
    static Tensor masked(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor mask = c.tensor("mask");
        Recorder r = rt.record("MaskedSelectBackward0", t);
        r.save(mask);
        rt.workspaces().noteBound();
        long most = Shapes.numel(Shapes.broadcast(t.sizes(), mask.sizes()));
        search(rt, mask);
        Tensor places = rt.empty(DType.INT64, most);
        Tensor out = rt.empty(t.dtype(), most);
        rt.free(places);
        long[] sizes = t.sizes();
        return r.gradient(0, g -> rt.empty(g.dtype(), sizes)).output(out);
    }

    private static void search(EagerRuntime rt, Tensor t) {
        Tensor dense = Copies.contiguous(rt, t);
        NonZeroScratch.use(rt, dense.numel());
        rt.freeUnless(dense, t);
    }
}
