package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code embedding_renorm_}, of which memory alone is measured: indices are sorted, and each is kept once
 * (aten/src/ATen/native/cuda/Embedding.cu, embedding_renorm_cuda_).
 */
final class Renormalisation {
    private static final String NAME = "aten.embedding_renorm_";

    private Renormalisation() {}

    static void register(Operators o) {
        Calls.add(o, NAME, Renormalisation::rows);
        o.limit(NAME);
    }

    private static Tensor rows(Calls c, Arguments a) {
        Eager e = c.e();
        Tensor indices = a.tensor("indices");
        DType type = indices.dtype();
        long n = indices.elements();
        e.empty(type, n);
        Tensor[] sorted = c.several("sort", "self", Views.reshape(e, indices, -1), "dim", 0);
        e.free(sorted[1]);
        e.empty(type, n);
        e.empty(DType.INT64);
        e.workspace(CubScratch.unique(n, type.bytes(), e.settings().gpu()));
        return a.tensor("self");
    }
}
