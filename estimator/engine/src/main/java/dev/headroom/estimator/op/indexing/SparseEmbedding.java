package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.NonZeroScratch;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/** Embeddings whose table gets the rows that were read for its gradient (ATen/native/Embedding.cpp). */
final class SparseEmbedding {
    private SparseEmbedding() {}

    /** @param padding number of a row that gets no gradient, or -1 */
    static Tensor embedding(EagerRuntime rt, Tensor weight, Tensor indices, long padding) {
        return Embedding.embedding(rt, weight, indices, (g, kept) -> backward(rt, g, kept, padding));
    }

    /** embedding_sparse_backward: which indices are not padding is in the data, so all are taken for none. */
    private static Tensor backward(EagerRuntime rt, Tensor g, Tensor indices, long padding) {
        Tensor rows = indices;
        Tensor values = g;
        Tensor mask = null;
        if (padding >= 0) {
            rt.workspaces().noteBound();
            mask = rt.emptyLike(indices, DType.BOOL);
            rows = picked(rt, indices, mask);
            values = picked(rt, g, mask);
        }
        Tensor line = reshaped(rt, rows, rows.numel());
        Tensor matrix = reshaped(rt, values, rows.numel(), g.size(-1));
        rt.freeUnless(values, g);
        rt.freeUnless(rows, indices);
        rt.free(mask);
        return matrix.sparse(line);
    }

    /** {@code t[mask]} of a mask that holds everywhere. */
    private static Tensor picked(EagerRuntime rt, Tensor t, Tensor mask) {
        NonZeroScratch.use(rt, mask.numel());
        Tensor places = rt.empty(DType.INT64, mask.numel(), mask.dim());
        long[] sizes = new long[1 + t.dim() - mask.dim()];
        System.arraycopy(t.sizes(), mask.dim(), sizes, 1, sizes.length - 1);
        sizes[0] = mask.numel();
        Tensor out = rt.empty(t.dtype(), sizes);
        rt.free(places);
        return out;
    }

    /** {@code reshape}, which nothing records. */
    private static Tensor reshaped(EagerRuntime rt, Tensor t, long... sizes) {
        long[] strides = Shapes.viewStrides(t.sizes(), t.strides(), sizes);
        if (strides != null) {
            return rt.reinterpret(t, sizes, strides, t.offset());
        }
        Tensor copy = Copies.cloneContiguous(rt, t);
        Tensor out = rt.reinterpret(copy, sizes, Shapes.contiguous(sizes), 0);
        rt.free(copy);
        return out;
    }
}
