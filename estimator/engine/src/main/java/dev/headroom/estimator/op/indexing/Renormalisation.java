package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code embedding_renorm_}, which an embedding with {@code max_norm} calls before it reads
 * (ATen/native/cuda/Embedding.cu, embedding_renorm_cuda_): indices are sorted, and each row that is read is scaled.
 */
final class Renormalisation {
    private Renormalisation() {}

    static void register(Registry r) {
        r.single("aten.embedding_renorm_", c -> NoGrad.call(c.runtime(), () -> rows(new Body(c.runtime(), r), c)));
    }

    private static Tensor rows(Body b, Call c) {
        EagerRuntime rt = b.runtime();
        Tensor indices = c.tensor("indices");
        long n = indices.numel();
        DType type = indices.dtype();
        b.let(b.made(rt.empty(type, n)));
        Tensor[] sorted = b.all("sort.stable", b.call("reshape", indices, new long[] {-1}), false, 0, false);
        b.let(sorted[0]);
        b.let(b.made(rt.empty(type, n)));
        b.let(b.made(rt.empty(DType.INT64)));
        rt.free(rt.scratch(CubScratch.unique(rt.device(), n, type.bytes())));
        return b.give(c.tensor("self"));
    }
}
