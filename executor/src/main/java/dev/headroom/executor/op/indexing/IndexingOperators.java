package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Operators that pick elements by index tensors (aten/src/ATen/native/cuda/Indexing.cu, IndexKernel.cu). */
public final class IndexingOperators {
    private IndexingOperators() {}

    public static void register(Operators o) {
        MaskedScatter.register(o);
        o.add1("aten.index", (e, a) -> index(e, a.tensor("self"), a.tensors("indices")));
        o.add1("aten.index_put", (e, a) -> put(e, a, false));
        o.add1("aten.index_put_", (e, a) -> put(e, a, true));
        o.add1("aten.index_select", (e, a) -> indexSelect(e, a.tensor("self"), a.integer("dim", 0), a.tensor("index")));
        o.add1("aten.gather", (e, a) -> gather(e, a.tensor("self"), a.integer("dim", 0), a.tensor("index")));
    }

    /** {@code x[indices]}. */
    static Tensor index(Eager e, Tensor x, @Nullable Tensor[] indices) {
        for (Tensor i : indices) {
            if (i != null && (i.dtype() == DType.BOOL || i.dtype() == DType.UINT8)) {
                throw new UserInputException(
                        "indexing with a mask gives a size that depends on data, which the executor"
                                + " does not support");
            }
        }
        Recorder r = e.record("IndexBackward0", x);
        SavedTensor[] saved = new SavedTensor[indices.length];
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
                        used[i] = saved[i].getOrNull();
                    }
                    Tensor gradient = Slices.zeros(e, g[0], before);
                    accumulate(e, gradient, used, g[0], false);
                    return new Tensor[] {gradient};
                })
                .output(out);
    }

    /** Indices of different shapes are copied to their common one. */
    private static Tensor[] broadcast(Eager e, @Nullable Tensor[] indices) {
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
    private static boolean together(@Nullable Tensor[] indices) {
        int runs = 0;
        for (int i = 0; i < indices.length; i++) {
            runs += indices[i] != null && (i == 0 || indices[i - 1] == null) ? 1 : 0;
        }
        return runs <= 1;
    }

    private static long[] resultSizes(Tensor x, @Nullable Tensor[] indices) {
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

    /** {@code index_put}: values at indices, or added there. */
    private static Tensor put(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor values = a.tensor("values");
        @Nullable Tensor[] indices = a.tensors("indices");
        boolean adds = a.flag("accumulate", false);
        if (Arrays.stream(indices).anyMatch(i -> i != null && i.dtype() == DType.BOOL)) {
            return putMasked(e, x, values, indices, inPlace);
        }
        Recorder r = e.record("IndexPutBackward0", x, values);
        SavedTensor[] saved = new SavedTensor[indices.length];
        for (int i = 0; i < indices.length; i++) {
            saved[i] = r.save(indices[i]);
        }
        Tensor out = inPlace ? x : e.emptyLike(x);
        if (!inPlace) {
            Copies.fill(e, out, x);
        }
        long[] sizes = resultSizes(x, indices);
        if (adds) {
            accumulate(e, out, indices, values, true);
        } else {
            try (Scope s = e.open()) {
                long[] strides = Layout.expanded(values.sizes(), values.strides(), sizes);
                Tensor wide = e.alias(values, sizes, strides, values.offset());
                e.backend().indexing().indexPut(out, broadcast(e, indices), wide);
            }
        }
        DType type = values.dtype();
        long[] shape = values.sizes();
        r.backward(g -> {
            @Nullable Tensor[] used = new Tensor[saved.length];
            for (int i = 0; i < used.length; i++) {
                used[i] = saved[i].getOrNull();
            }
            Tensor ofX = !r.needs(0) ? null : adds ? g[0] : cleared(e, g[0], used, type, shape, sizes);
            return new Tensor[] {ofX, r.needs(1) ? index(e, g[0], used) : null};
        });
        return inPlace ? r.changed(out) : r.output(out);
    }

    /** A copy of the gradient with zeros where values were put. */
    private static Tensor cleared(
            Eager e, Tensor g, @Nullable Tensor[] indices, DType type, long[] shape, long[] sizes) {
        try (Scope s = e.open()) {
            Tensor zeros = e.empty(type, shape);
            Elementwise.fill(e, zeros, 0);
            Tensor out = s.pass(e.emptyLike(g));
            Copies.fill(e, out, g);
            long[] strides = Layout.expanded(shape, zeros.strides(), sizes);
            Tensor wide = e.alias(zeros, sizes, strides, zeros.offset());
            e.backend().indexing().indexPut(out, broadcast(e, indices), wide);
            return out;
        }
    }

    private static final Formula PUT =
            new Formula("put_masked", "y0 = x1 != 0 ? x2 : x0;", (x, s, y) -> y[0] = x[1] != 0 ? x[2] : x[0]);

    /** One value where a mask says so, as masked_fill does it. */
    private static Tensor putMasked(Eager e, Tensor x, Tensor values, @Nullable Tensor[] indices, boolean inPlace) {
        Tensor mask = indices[0];
        if (indices.length != 1 || values.elements() != 1 || x.requiresGrad() || values.requiresGrad()) {
            throw new UserInputException("index_put by a mask is supported by the executor for one value without"
                    + " gradients: how many places a mask has depends on data");
        }
        Recorder r = e.record("IndexPutBackward0", x, values);
        Tensor out = inPlace ? x : e.emptyLike(x);
        try (Scope s = e.open()) {
            long[] sizes = Arrays.copyOf(mask.sizes(), x.dims());
            long[] strides = Arrays.copyOf(mask.strides(), x.dims());
            Arrays.fill(sizes, mask.dims(), x.dims(), 1);
            Tensor wide = e.alias(mask, sizes, strides, mask.offset());
            Elementwise.into(e, PUT, out, x, wide, e.alias(values, new long[0], new long[0], values.offset()));
        }
        return inPlace ? r.changed(out) : out;
    }

    private static void sortScratch(Eager e, long n, long greatest) {
        try (Scope sort = e.open()) {
            e.empty(DType.INT64, n);
            e.workspace(CubScratch.sortPairs(n, greatest, e.settings().gpu()));
        }
    }

    /**
     * index_put_with_sort_kernel: the indices as one number each, sorted, so that equal ones are added in order.
     *
     * @param checked whether the host looks at the least and the greatest of each first
     */
    private static void accumulate(Eager e, Tensor into, @Nullable Tensor[] indices, Tensor values, boolean checked) {
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
                    if (checked) {
                        look(e);
                    }
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
            if (n > 0) {
                sortScratch(e, n, (into.elements() - 1) / Math.max(1, slice));
            }
            long[] whole = resultSizes(into, indices);
            long[] steps = Layout.expanded(packed.sizes(), packed.strides(), whole);
            Tensor wide = e.alias(packed, whole, steps, packed.offset());
            e.backend().indexing().indexAdd(into, indices, wide);
        }
    }

    private static void look(Eager e) {
        Tensor least = e.empty(DType.INT64);
        Tensor most = e.empty(DType.INT64);
        e.free(e.empty(DType.BOOL));
        e.free(e.empty(DType.BOOL));
        e.free(least);
        e.free(most);
    }

    /** An index made positive, then multiplied with its dimension's stride. */
    private static Tensor numbered(Eager e, long[] sizes) {
        Tensor positive = e.empty(DType.INT64, sizes);
        Tensor product = e.empty(DType.INT64, sizes);
        e.free(positive);
        return product;
    }

    /** {@code index_select}. */
    public static Tensor indexSelect(Eager e, Tensor x, long dim, Tensor index) {
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
    public static Tensor gather(Eager e, Tensor x, long dim, Tensor index) {
        int at = Layout.dimension(dim, x.dims());
        Recorder r = e.record("GatherBackward0", x);
        SavedTensor saved = r.save(index);
        r.save(x); // for its sizes (tools/autograd/derivatives.yaml)
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
