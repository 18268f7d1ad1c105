package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.Extrema;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** Sums rows of a gradient where indices meet: {@code index_put_(accumulate=True)} (ATen/native/cuda/Indexing.cu). */
final class IndexedSum {
    private IndexedSum() {}

    /**
     * The gradient of {@code self[indices]}: zeros with the gradient added (FunctionsManual.cpp, index_backward;
     * Indexing.cu, index_put_with_sort_kernel).
     *
     * @param indices {@code null} for a dimension that is not indexed
     */
    static Tensor backward(EagerRuntime rt, Tensor g, long[] sizes, Tensor[] indices) {
        Tensor out = Creation.zeros(rt, g.dtype(), sizes);
        add(rt, g, sizes, indices, false);
        return out;
    }

    /**
     * The same for rows whose numbers are in host memory, where they are checked as well: the device gets them when
     * they are sorted.
     */
    static Tensor backwardFromHost(EagerRuntime rt, Tensor g, long[] sizes, long rows) {
        Tensor out = Creation.zeros(rt, g.dtype(), sizes);
        Tensor linear = rt.empty(DType.INT64, rows);
        Tensor values = Copies.contiguous(rt, g);
        sort(rt, rows, CubScratch.bits(sizes[0] - 1));
        rt.freeUnless(values, g);
        rt.free(linear);
        return out;
    }

    private static void sort(EagerRuntime rt, long n, int bits) {
        Tensor sorted = rt.empty(DType.INT64, n);
        Tensor original = rt.empty(DType.INT64, n);
        Tensor range = rt.empty(DType.INT64, n);
        rt.free(rt.scratch(CubScratch.sortPairs(rt.device(), n, DType.INT64.bytes(), bits)));
        rt.free(range);
        rt.free(original);
        rt.free(sorted);
    }

    /**
     * The kernel's temporaries.
     *
     * @param checked whether the host looks at the largest and the smallest index first
     */
    static void add(EagerRuntime rt, Tensor g, long[] sizes, Tensor[] indices, boolean checked) {
        Tensor linear = null;
        long largest = 0;
        long[] strides = dev.headroom.model.graph.Shapes.contiguous(sizes);
        int last = 0;
        int first = -1;
        int used = 0;
        long[] broadcast = new long[0];
        for (Tensor index : indices) {
            broadcast = index == null ? broadcast : dev.headroom.model.graph.Shapes.broadcast(broadcast, index.sizes());
        }
        for (int d = 0; d < sizes.length; d++) {
            largest += (sizes[d] - 1) * strides[d];
            if (d < indices.length && indices[d] != null) {
                last = d;
                first = first < 0 ? d : first;
                used++;
                if (checked) {
                    Extrema.read(rt, indices[d], rt.options().torch().indexReadsBothEnds(), true);
                }
                boolean whole = Arrays.equals(broadcast, indices[d].sizes());
                Tensor wrapped = whole ? rt.emptyLike(indices[d], DType.INT64) : rt.empty(DType.INT64, broadcast);
                Tensor offset = rt.emptyLike(wrapped);
                rt.free(wrapped);
                if (linear == null) {
                    linear = offset;
                } else {
                    rt.free(offset);
                }
            }
        }
        long slice = strides[last];
        // Indexed dimensions that lie apart are moved to the front, in a copy.
        Tensor turned = last - first + 1 == used ? null : rt.empty(g.dtype(), sizes);
        Tensor values = Copies.contiguous(rt, g);
        if (linear != null && linear.numel() > 0 && slice > 0) {
            Tensor line = Copies.contiguous(rt, linear); // linearIndex.reshape(-1)
            rt.freeUnless(linear, line);
            linear = line;
            sort(rt, linear.numel(), CubScratch.bits(largest / slice));
        }
        rt.freeUnless(values, g);
        rt.free(turned);
        rt.free(linear);
    }
}
