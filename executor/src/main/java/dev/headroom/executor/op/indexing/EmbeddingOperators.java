package dev.headroom.executor.op.indexing;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** {@code embedding} (aten/src/ATen/native/Embedding.cpp, cuda/Embedding.cu, cuda/EmbeddingBackwardKernel.cu). */
public final class EmbeddingOperators {
    /** Up to so many indices are added one by one; more are sorted, so that equal ones are added together. */
    private static final long FEW = 3072;

    /** Indices that one block of the second kernel adds up. */
    private static final int ROWS_OF_THREAD = 10;

    private static final long WARP = 32;
    private static final long MOST_THREADS = 1024;

    /** Up to so many blocks for each multiprocessor, and from so many parts for each, parts are added at once. */
    private static final long BLOCKS_OF_PROCESSOR = 4;

    private static final long PARTS_OF_BLOCK = 4;

    private EmbeddingOperators() {}

    public static void register(Operators o) {
        o.add("aten.embedding_bag", EmbeddingBags::run);
        o.add("aten._embedding_bag", EmbeddingBags::run);
        o.add1(
                "aten.embedding",
                (e, a) -> embedding(
                        e,
                        a.tensor("weight"),
                        a.tensor("indices"),
                        a.integer("padding_idx", -1),
                        a.flag("sparse", false)));
    }

    /** @param padding number of a row that gets no gradient, or -1 */
    static Tensor embedding(Eager e, Tensor weight, Tensor indices, long padding, boolean sparse) {
        return e.call(() -> {
            Recorder r = e.record("EmbeddingBackward0", weight);
            SavedTensor saved = r.save(indices);
            long width = weight.size(1);
            long[] sizes = Arrays.copyOf(indices.sizes(), indices.dims() + 1);
            sizes[indices.dims()] = width;
            Tensor flat = Copies.packed(e, indices);
            Tensor out = e.empty(weight.dtype(), sizes);
            e.backend().indexing().index(out, weight, new Tensor[] {flat, null});
            long rows = weight.size(0);
            return r.backward(g -> new Tensor[] {
                        sparse
                                ? SparseEmbeddings.gradient(e, g[0], saved.get(), padding)
                                : gradient(e, g[0], saved.get(), rows, padding)
                    })
                    .output(out);
        });
    }

    /** embedding_dense_backward_cuda. */
    private static Tensor gradient(Eager e, Tensor grad, Tensor indices, long rows, long padding) {
        Tensor g = Copies.packed(e, grad);
        long n = indices.elements();
        long width = g.size(-1);
        Tensor packed = Copies.packed(e, indices);
        if (n <= FEW) {
            return added(e, zeros(e, g, rows, width), packed, g, padding);
        }
        return bySorting(e, indices, g, rows, out -> added(e, out, packed, g, padding));
    }

    /** What a kernel does with the gradient's rows. */
    interface Sum {
        void into(Tensor gradient);
    }

    /** The gradient of a table by sorted indices (EmbeddingBackwardKernel.cu, embedding_backward_cuda_kernel). */
    static Tensor bySorting(Eager e, Tensor indices, Tensor g, long rows, Sum sum) {
        long n = indices.elements();
        long width = g.size(-1);
        Tensor sorted = e.empty(DType.INT64, indices.sizes());
        Tensor order = e.empty(DType.INT64, indices.sizes());
        try (Scope s = e.open()) {
            e.empty(DType.INT64, n); // the numbers 0 to n-1, which are sorted along
            e.workspace(CubScratch.sortPairs(n, rows, e.settings().gpu()));
        }
        Tensor out = zeros(e, g, rows, width);
        try (Scope s = e.open()) {
            long segments = Math.min(n, rows);
            e.empty(DType.INT64, n); // where segments of equal indices begin
            e.empty(DType.INT64); // how many there are
            try (Scope unique = e.open()) {
                e.empty(DType.INT64, n); // the distinct indices, which nothing looks at
                e.workspace(CubScratch.uniqueByKey(n, e.settings().gpu()));
            }
            e.empty(DType.INT64, segments); // how many parts each has
            e.empty(DType.INT64, segments); // where its parts begin
            try (Scope scan = e.open()) {
                e.workspace(CubScratch.scan(segments, DType.INT64.bytes()));
            }
            e.empty(DType.INT64); // how many parts there are
            long parts = n / ROWS_OF_THREAD + segments;
            e.empty(DType.INT64, parts);
            sums(e, g.dtype(), segments, parts, rows, width);
            sum.into(out);
        }
        e.free(order);
        e.free(sorted);
        return out;
    }

    /** What parts add up to: rows of each, or where few blocks have many parts, the table itself in the wide type. */
    private static void sums(Eager e, DType type, long segments, long parts, long rows, long width) {
        long warped = Bytes.roundUp(width, WARP);
        long blocks = Bytes.ceilDiv(segments * warped, Math.min(warped, MOST_THREADS));
        DType wide = type.isReducedFloat() ? DType.FLOAT32 : type;
        if (blocks >= (long) e.settings().gpu().sms() * BLOCKS_OF_PROCESSOR || parts <= blocks * PARTS_OF_BLOCK) {
            e.empty(wide, parts, width);
            return;
        }
        e.empty(DType.INT64, parts); // the segment of each part
        if (wide != type) {
            e.empty(wide, rows, width);
        }
    }

    private static Tensor zeros(Eager e, Tensor like, long... sizes) {
        return Slices.zeros(e, like, sizes);
    }

    private static Tensor added(Eager e, Tensor out, Tensor indices, Tensor g, long padding) {
        e.backend().indexing().indexAdd(out, new Tensor[] {indices, null}, g);
        if (padding >= 0) {
            Tensor row = e.alias(out, new long[] {out.size(1)}, new long[] {1}, padding * out.size(1));
            Elementwise.fill(e, row, 0);
            e.free(row);
        }
        return out;
    }
}
