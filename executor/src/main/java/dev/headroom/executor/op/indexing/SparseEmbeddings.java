package dev.headroom.executor.op.indexing;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The gradient of a table of which each row that was read has one (Embedding.cpp, embedding_sparse_backward). */
final class SparseEmbeddings {
    private static final Formula OTHER = new Formula("ne", "y0 = x0 != s0;", (x, s, y) -> y[0] = x[0] != s[0] ? 1 : 0);

    private SparseEmbeddings() {}

    /** @param padding number of a row that gets no gradient, or -1 */
    static Tensor gradient(Eager e, Tensor g, Tensor indices, long padding) {
        return e.call(() -> {
            Tensor rows = indices;
            Tensor values = g;
            if (padding >= 0) {
                Tensor mask = Elementwise.map(e, OTHER, DType.BOOL, new double[] {padding}, indices);
                double[] places = places(e, indices, padding);
                rows = picked(e, indices, mask, places);
                values = picked(e, g, mask, places);
            }
            Tensor line = reshaped(e, rows, rows.elements());
            return e.sparse(reshaped(e, values, rows.elements(), g.size(-1)), line);
        });
    }

    /** Which of the indices name another row; all, where nothing is computed. */
    private static double[] places(Eager e, Tensor indices, long padding) {
        double[] read =
                e.backend().computes() ? e.backend().read(indices) : filled((int) indices.elements(), padding + 1.0);
        return IntStream.range(0, read.length)
                .filter(i -> read[i] != padding)
                .asDoubleStream()
                .toArray();
    }

    private static double[] filled(int n, double value) {
        double[] out = new double[n];
        Arrays.fill(out, value);
        return out;
    }

    /** {@code t[mask]}: the places are counted and found, then read (cuda/Nonzero.cu, nonzero_cuda_out_impl). */
    private static Tensor picked(Eager e, Tensor t, Tensor mask, double[] places) {
        return e.call(() -> {
            long n = mask.elements();
            int k = places.length;
            Tensor found = e.call(() -> {
                Tensor count = e.empty(DType.INT32);
                e.free(e.workspace(CubScratch.countFlags(n, e.settings().gpu())));
                Tensor out = e.empty(DType.INT64, mask.dims(), k);
                e.free(e.workspace(CubScratch.selectFlags(n, e.settings().gpu())));
                e.free(count);
                return out;
            });
            @Nullable Tensor[] columns = new Tensor[t.dims()];
            long[] steps = Layout.contiguous(mask.sizes());
            for (int d = 0; d < mask.dims(); d++) {
                Tensor column = e.alias(found, new long[] {k}, new long[] {1}, (long) d * k);
                long step = steps[d];
                long size = mask.size(d);
                if (e.backend().computes()) {
                    double[] at = Arrays.stream(places)
                            .map(p -> (long) p / step % size)
                            .toArray();
                    e.backend().write(column, at);
                }
                columns[d] = column;
            }
            Tensor out =
                    e.empty(t.dtype(), Layout.inserted(Arrays.copyOfRange(t.sizes(), mask.dims(), t.dims()), 0, k));
            if (out.elements() > 0) {
                e.backend().indexing().index(out, t, columns);
            }
            return out;
        });
    }

    private static Tensor reshaped(Eager e, Tensor t, long... sizes) {
        long[] strides = Layout.viewed(t.sizes(), t.strides(), sizes);
        if (strides != null) {
            return e.alias(t, sizes, strides, t.offset());
        }
        return e.call(() -> e.alias(Copies.clone(e, t, MemoryFormat.CONTIGUOUS), sizes, Layout.contiguous(sizes), 0));
    }
}
