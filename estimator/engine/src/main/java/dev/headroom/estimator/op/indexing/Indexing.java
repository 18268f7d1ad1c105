package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/**
 * Gathering and selecting by indices, rolling and other permutations of elements
 * (ATen/native/TensorAdvancedIndexing.cpp).
 */
final class Indexing {
    private Indexing() {}

    /** {@code roll}, one dimension after the other (ATen/native/cuda/TensorTransformations.cu, roll_cuda). */
    static Tensor roll(EagerRuntime rt, Tensor t, int dims) {
        Recorder r = rt.record("RollBackward0", t);
        Tensor out = t;
        Tensor[] before = new Tensor[dims];
        for (int i = 0; i < dims; i++) {
            Tensor dense = Copies.contiguous(rt, out);
            Tensor next = rt.empty(t.dtype(), t.sizes());
            rt.freeUnless(dense, out);
            before[i] = out == t ? null : out;
            out = next;
        }
        for (int i = dims - 1; i >= 0; i--) {
            rt.free(before[i]);
        }
        return r.gradient(0, g -> roll(rt, g, dims)).output(out);
    }

    /** A fresh tensor of the same shape, whose gradient is the same operation again. */
    static Tensor permuting(Call c, String node) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Recorder r = rt.record(node, t);
        Tensor out = rt.emptyLike(t);
        return r.gradient(0, g -> rt.emptyLike(g)).output(out);
    }

    /** {@code tril} and {@code triu}: dense, whatever is read (ATen/native/TriangularOps.cpp). */
    static Tensor triangle(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Recorder r = rt.record("TrilBackward0", t);
        Tensor out = rt.empty(t.dtype(), t.sizes());
        return r.gradient(0, g -> rt.empty(g.dtype(), g.sizes())).output(out);
    }

    static Tensor gather(Call c) {
        return gather(c.runtime(), c.tensor("self"), c.tensor("index"));
    }

    static Tensor gather(EagerRuntime rt, Tensor t, Tensor index) {
        return picked(rt, "GatherBackward0", t, index);
    }

    /** Elements at places of an index, in its shape. */
    static Tensor picked(EagerRuntime rt, String node, Tensor t, Tensor index) {
        Recorder r = rt.record(node, t);
        Saved at = r.save(index);
        Saved self = r.save(t); // for its sizes alone (tools/autograd/derivatives.yaml, gather and take)
        Tensor out = rt.empty(t.dtype(), index.sizes());
        long[] original = t.sizes();
        return r.gradient(0, g -> {
                    at.get();
                    self.get();
                    return Creation.zeros(rt, g.dtype(), original);
                })
                .output(out);
    }

    static Tensor indexSelect(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor index = c.tensor("index");
        long[] sizes = t.sizes().clone();
        if (sizes.length > 0) {
            sizes[Shapes.wrap(c.integer("dim"), t.dim())] = index.numel();
        }
        Recorder r = rt.record("IndexSelectBackward0", t);
        Saved at = r.save(index);
        Tensor out = rt.empty(t.dtype(), sizes);
        long[] original = t.sizes();
        return r.gradient(0, g -> {
                    at.get();
                    return Creation.zeros(rt, g.dtype(), original);
                })
                .output(out);
    }

    /** {@code tensor[indices]} with integer tensors (ATen/native/TensorAdvancedIndexing.cpp). */
    static Tensor index(Call c) {
        return gathered(c.runtime(), c.tensor("self"), onDevice(c.runtime(), c.tensors("indices")));
    }

    /**
     * {@code tensor[rows]}, the rows' numbers a tensor in host memory: autograd keeps that, and the copy on the device
     * goes with the kernel.
     */
    static Tensor fromHost(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long rows = t.size(0);
        Recorder r = rt.record("IndexBackward0", t);
        Tensor copy = rt.empty(DType.INT64, rows);
        Tensor out = rt.empty(t.dtype(), t.sizes());
        rt.free(copy);
        long[] sizes = t.sizes();
        return r.gradient(0, g -> IndexedSum.backwardFromHost(rt, g, sizes, rows))
                .output(out);
    }

    /** Indices in host memory, such as those of a list, are copied to the device first. */
    private static Tensor[] onDevice(EagerRuntime rt, Tensor[] indices) {
        return Arrays.stream(indices)
                .map(t -> t == null || t.onDevice() ? t : rt.empty(t.dtype(), t.sizes()))
                .toArray(Tensor[]::new);
    }

    /** @param indices {@code null} for a dimension that is not indexed */
    static Tensor gathered(EagerRuntime rt, Tensor t, Tensor... indices) {
        long[] broadcast = new long[0];
        int first = -1;
        int last = -1;
        int used = 0;
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] != null) {
                broadcast = Shapes.broadcast(broadcast, indices[i].sizes());
                first = first < 0 ? i : first;
                last = i;
                used++;
            }
        }
        boolean adjacent = last - first + 1 == used;
        long[] sizes = new long[0];
        for (int d = 0; d < t.dim(); d++) {
            boolean indexed = d < indices.length && indices[d] != null;
            if (adjacent && d == first) {
                sizes = Dimensions.append(sizes, broadcast);
            }
            if (!indexed) {
                sizes = Dimensions.append(sizes, t.size(d));
            }
        }
        if (!adjacent) {
            sizes = Dimensions.append(broadcast, sizes);
        }
        Recorder r = rt.record("IndexBackward0", t);
        Saved[] kept = new Saved[indices.length];
        for (int i = 0; i < indices.length; i++) {
            kept[i] = r.save(indices[i]);
        }
        Tensor[] copies = alike(rt, indices, broadcast);
        Tensor out = rt.empty(t.dtype(), sizes);
        for (int i = indices.length - 1; i >= 0; i--) {
            rt.free(copies[i]);
        }
        long[] original = t.sizes();
        return r.gradient(0, g -> {
                    Tensor[] at = new Tensor[kept.length];
                    for (int i = 0; i < at.length; i++) {
                        at[i] = kept[i].getOrNull();
                    }
                    return IndexedSum.backward(rt, g, original, at);
                })
                .output(out);
    }

    /** Several indices are copied where their expanded strides differ (TensorAdvancedIndexing.cpp, AdvancedIndex). */
    private static Tensor[] alike(EagerRuntime rt, Tensor[] indices, long[] sizes) {
        long[][] strides = new long[indices.length][];
        long[] first = null;
        boolean same = true;
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] != null) {
                strides[i] = Shapes.expandedStrides(indices[i].sizes(), indices[i].strides(), sizes);
                same &= first == null || Arrays.equals(first, strides[i]);
                first = strides[i];
            }
        }
        Tensor[] copies = new Tensor[indices.length];
        for (int i = 0; i < indices.length && !same; i++) {
            if (indices[i] != null && !Shapes.isContiguous(sizes, strides[i])) {
                copies[i] = rt.empty(indices[i].dtype(), sizes);
            }
        }
        return copies;
    }
}
