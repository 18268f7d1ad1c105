package dev.headroom.estimator.op.indexing;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Embeddings (ATen/native/Embedding.cpp, ATen/native/cuda/Embedding.cu and EmbeddingBackwardKernel.cu). */
final class Embedding {
    /**
     * Up to so many indices a simple kernel sums the gradient; more are sorted first (embedding_dense_backward_cuda).
     */
    private static final long SORT_ABOVE = 3072;

    private static final long ROWS_PER_THREAD = 10;

    private static final long MAX_BLOCK = 1024;

    private static final long WARP = 32;

    private static final long BLOCKS_PER_SM = 4;

    private Embedding() {}

    static Tensor embedding(EagerRuntime rt, Tensor weight, Tensor indices, boolean scaled) {
        return embedding(rt, weight, indices, (g, kept) -> backward(rt, g, kept, rows(weight), scaled));
    }

    /** The gradient of a table from that of the rows that were read, and which those were. */
    interface Gradient {
        Tensor of(Tensor g, Tensor indices);
    }

    static Tensor embedding(EagerRuntime rt, Tensor weight, Tensor indices, Gradient gradient) {
        Recorder r = rt.record("EmbeddingBackward0", weight);
        Saved kept = r.save(indices);
        Tensor flat = indices.isContiguous() ? indices : rt.empty(indices.dtype(), indices.numel());
        long[] sizes = java.util.Arrays.copyOf(indices.sizes(), indices.dim() + 1);
        sizes[indices.dim()] = weight.size(1);
        Tensor out = rt.empty(weight.dtype(), sizes);
        rt.freeUnless(flat, indices);
        return r.gradient(0, g -> gradient.of(g, kept.get())).output(out);
    }

    /** Of a DTensor, all rows: indices are of the whole table. */
    private static long rows(Tensor weight) {
        return weight.distribution() == null
                ? weight.size(0)
                : weight.distribution().sizes()[0];
    }

    private static Tensor backward(EagerRuntime rt, Tensor g, Tensor indices, long rows, boolean scaled) {
        Tensor dense = Copies.contiguous(rt, indices);
        Tensor grad = Copies.contiguous(rt, g);
        long n = indices.numel();
        long width = g.size(-1);
        Tensor weight;
        if (n <= SORT_ABOVE && !scaled) {
            weight = rt.empty(g.dtype(), rows, width);
        } else {
            Tensor sorted = rt.emptyLike(dense);
            Tensor original = rt.emptyLike(dense);
            Tensor range = rt.emptyLike(dense);
            scratch(rt, CubScratch.sortPairs(rt.device(), n, dense.dtype().bytes(), bits(rt, dense.dtype(), rows)));
            rt.free(range);
            weight = sumSorted(rt, g.dtype(), dense.dtype(), n, rows, width);
            rt.free(original);
            rt.free(sorted);
        }
        rt.freeUnless(grad, g);
        rt.freeUnless(dense, indices);
        return weight;
    }

    /** The gradient of a table by sorted indices, whose order is kept (EmbeddingBag.cu). */
    static Tensor summed(EagerRuntime rt, Tensor g, Tensor indices, long rows) {
        long n = indices.numel();
        Tensor sorted = rt.emptyLike(indices);
        Tensor original = rt.emptyLike(indices);
        Tensor range = rt.emptyLike(indices);
        scratch(rt, CubScratch.sortPairs(rt.device(), n, indices.dtype().bytes(), bits(rt, indices.dtype(), rows)));
        rt.free(range);
        Tensor weight = sumSorted(rt, g.dtype(), indices.dtype(), n, rows, g.size(-1));
        rt.free(original);
        rt.free(sorted);
        return weight;
    }

    /** How many bits of the indices are sorted by. */
    private static int bits(EagerRuntime rt, DType type, long rows) {
        return rt.options().torch().sortsFewBits() ? CubScratch.bits(rows) : type.bytes() * Byte.SIZE;
    }

    private static void scratch(EagerRuntime rt, long bytes) {
        rt.free(rt.scratch(bytes));
    }

    /** embedding_backward_cuda_kernel. */
    private static Tensor sumSorted(EagerRuntime rt, DType type, DType index, long n, long rows, long width) {
        Tensor weight = rt.empty(type, rows, width);
        Tensor segmentOffsets = rt.empty(index, n);
        Tensor segmentCount = rt.empty(DType.INT64);
        Tensor keys = rt.empty(index, n);
        scratch(rt, CubScratch.uniqueByKey(rt.device(), n, index.bytes()));
        rt.free(keys);
        long segments = Math.min(n, rows);
        Tensor partials = rt.empty(index, segments);
        Tensor partialOffsets = rt.empty(index, segments);
        scratch(rt, CubScratch.scan(segments, index.bytes()));
        Tensor partialCount = rt.empty(DType.INT64);
        long maxPartials = n / ROWS_PER_THREAD + segments;
        Tensor offsets = rt.empty(index, maxPartials);
        long warped = Bytes.ceilDiv(width, WARP) * WARP;
        long block = Math.min(warped, MAX_BLOCK);
        long grid = Bytes.ceilDiv(segments * warped, block);
        boolean fused = grid < rt.device().sms() * BLOCKS_PER_SM && maxPartials > grid * 4;
        DType wide = type.isReducedFloat() ? DType.FLOAT32 : type;
        Tensor first = fused ? rt.empty(index, maxPartials) : rt.empty(wide, maxPartials, width);
        Tensor second = fused && wide != type ? rt.empty(wide, rows, width) : null;
        rt.free(second);
        rt.free(first);
        rt.free(offsets);
        rt.free(partialCount);
        rt.free(partialOffsets);
        rt.free(partials);
        rt.free(segmentCount);
        rt.free(segmentOffsets);
        return weight;
    }
}
