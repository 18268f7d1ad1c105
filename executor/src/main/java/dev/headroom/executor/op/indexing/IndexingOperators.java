package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** Operators that pick elements by index tensors (aten/src/ATen/native/cuda/Indexing.cu, IndexKernel.cu). */
public final class IndexingOperators {
    private IndexingOperators() {}

    public static void register(Operators o) {
        o.add1("aten.index", (e, a) -> index(e, a.tensor("self"), a.tensors("indices")));
        o.add1("aten.index_select", (e, a) -> indexSelect(e, a.tensor("self"), a.integer("dim", 0), a.tensor("index")));
        o.add1("aten.gather", (e, a) -> gather(e, a.tensor("self"), a.integer("dim", 0), a.tensor("index")));
    }

    /** {@code x[indices]}. */
    static Tensor index(Eager e, Tensor x, Tensor[] indices) {
        for (Tensor i : indices) {
            if (i != null && (i.dtype() == DType.BOOL || i.dtype() == DType.UINT8)) {
                throw new UserInputException(
                        "indexing with a mask gives a size that depends on data, which the executor"
                                + " does not support");
            }
        }
        Recorder r = e.record("IndexBackward0", x);
        SavedTensor[] saved = new SavedTensor[indices.length];
        r.save(x);
        for (int i = 0; i < indices.length; i++) {
            saved[i] = r.save(indices[i]);
        }
        Tensor out;
        try (Scope s = e.open()) {
            Tensor[] alike = broadcast(e, indices);
            out = s.pass(e.empty(x.dtype(), resultSizes(x, indices)));
            if (out.elements() > 0) {
                e.backend().indexing().index(out, x, alike);
            }
        }
        long[] before = x.sizes();
        return r.backward(g -> {
                    Tensor[] used = new Tensor[saved.length];
                    for (int i = 0; i < used.length; i++) {
                        used[i] = saved[i].get();
                    }
                    Tensor gradient = Slices.zeros(e, g[0], before);
                    accumulate(e, gradient, used, g[0]);
                    return new Tensor[] {gradient};
                })
                .output(out);
    }

    /** Indices of different shapes are copied to their common one. */
    private static Tensor[] broadcast(Eager e, Tensor[] indices) {
        long[] common = Layout.broadcast(indices);
        Tensor[] out = indices.clone();
        for (int i = 0; i < out.length; i++) {
            if (out[i] != null && !Arrays.equals(out[i].sizes(), common)) {
                Tensor copy = e.empty(DType.INT64, common);
                Copies.fill(e, copy, out[i]);
                out[i] = copy;
            }
        }
        return out;
    }

    /** Whether no dimension between indexed ones is not indexed. */
    private static boolean together(Tensor[] indices) {
        int runs = 0;
        for (int i = 0; i < indices.length; i++) {
            runs += indices[i] != null && (i == 0 || indices[i - 1] == null) ? 1 : 0;
        }
        return runs <= 1;
    }

    private static long[] resultSizes(Tensor x, Tensor[] indices) {
        int first = -1;
        int last = -1;
        int count = 0;
        for (int d = 0; d < indices.length; d++) {
            if (indices[d] != null) {
                first = first < 0 ? d : first;
                last = d;
                count++;
            }
        }
        long[] picked = Layout.broadcast(indices);
        int front = last - first + 1 == count ? first : 0;
        long[] out = new long[x.dims() - count + picked.length];
        int n = 0;
        for (int d = 0; d <= x.dims(); d++) {
            if (d == front) {
                System.arraycopy(picked, 0, out, n, picked.length);
                n += picked.length;
            }
            if (d < x.dims() && (d >= indices.length || indices[d] == null)) {
                out[n++] = x.size(d);
            }
        }
        return out;
    }

    /** index_put_with_sort_kernel: the indices as one number each, sorted, so that equal ones are added in order. */
    private static void accumulate(Eager e, Tensor into, Tensor[] indices, Tensor values) {
        try (Scope s = e.open()) {
            long[] common = Layout.broadcast(indices);
            long n = Layout.elements(common);
            Tensor linear = null;
            long slice = 1;
            for (int d = indices.length; d < into.dims(); d++) {
                slice *= into.size(d);
            }
            for (Tensor i : indices) {
                if (i != null) {
                    Tensor product = numbered(e, common);
                    e.free(linear == null ? null : product); // the others are added to the first
                    linear = linear == null ? product : linear;
                }
            }
            Tensor packed = Copies.packed(e, values);
            if (!together(indices)) {
                e.empty(into.dtype(), into.sizes()); // with the indexed dimensions in front
            }
            e.empty(DType.INT64, n); // the indices in order
            e.empty(DType.INT64, n); // where each was
            try (Scope sort = e.open()) {
                e.empty(DType.INT64, n);
                e.workspace(CubScratch.sortPairs(
                        n,
                        (into.elements() - 1) / Math.max(1, slice),
                        e.settings().gpu()));
            }
            e.backend().indexing().indexAdd(into, indices, packed);
        }
    }

    /** An index made positive, then multiplied with its dimension's stride. */
    private static Tensor numbered(Eager e, long[] sizes) {
        Tensor positive = e.empty(DType.INT64, sizes);
        Tensor product = e.empty(DType.INT64, sizes);
        e.free(positive);
        return product;
    }

    /** {@code index_select}. */
    static Tensor indexSelect(Eager e, Tensor x, long dim, Tensor index) {
        int at = Layout.dimension(dim, x.dims());
        Recorder r = e.record("IndexSelectBackward0", x);
        SavedTensor saved = r.save(index);
        long[] sizes = x.sizes().clone();
        sizes[at] = index.elements();
        Tensor out = e.empty(x.dtype(), sizes);
        if (out.elements() > 0) {
            e.backend().indexing().index(out, x, only(at, index));
        }
        long[] before = x.sizes();
        return r.backward(g -> {
                    Tensor gradient = Slices.zeros(e, g[0], before);
                    e.backend().indexing().indexAdd(gradient, only(at, saved.get()), g[0]);
                    return new Tensor[] {gradient};
                })
                .output(out);
    }

    private static Tensor[] only(int dim, Tensor index) {
        Tensor[] out = new Tensor[dim + 1];
        out[dim] = index;
        return out;
    }

    /** {@code gather}. */
    static Tensor gather(Eager e, Tensor x, long dim, Tensor index) {
        int at = Layout.dimension(dim, x.dims());
        Recorder r = e.record("GatherBackward0", x);
        SavedTensor saved = r.save(index);
        Tensor out = e.empty(x.dtype(), index.sizes());
        e.backend().indexing().gather(out, x, at, index);
        long[] before = x.sizes();
        return r.backward(g -> {
                    Tensor gradient = Slices.zeros(e, g[0], before);
                    e.backend().indexing().scatterAdd(gradient, at, saved.get(), g[0]);
                    return new Tensor[] {gradient};
                })
                .output(out);
    }
}
