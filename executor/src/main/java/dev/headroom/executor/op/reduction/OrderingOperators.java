package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code sort}, {@code argsort} and {@code topk} (aten/src/ATen/native/cuda/Sort.cpp, TensorTopK.cpp); what they take
 * beside their results is in {@link LongLines}.
 */
public final class OrderingOperators {
    private OrderingOperators() {}

    public static void register(Operators o) {
        o.add("aten.sort", (e, a) -> sort(e, a));
        o.add1("aten.argsort", (e, a) -> {
            Tensor[] both = sort(e, a);
            e.free(both[0]);
            return both[1];
        });
        o.add("aten.topk", OrderingOperators::topk);
    }

    private static Tensor[] sort(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", -1), x.dims());
        Recorder r = e.record("SortBackward0", x);
        long[] strides = Layout.preserved(x.sizes(), x.strides());
        Tensor values = e.emptyStrided(x.dtype(), x.sizes(), strides);
        Tensor places = e.emptyStrided(DType.INT64, x.sizes(), strides);
        LongLines.sort(e, x, dim);
        e.backend().reductions().sort(values, places, x, dim, a.flag("descending", false));
        return recorded(e, r, x, values, places, dim);
    }

    private static Tensor[] topk(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", -1), x.dims());
        Recorder r = e.record("TopkBackward0", x);
        long[] sizes = x.sizes().clone();
        if (sizes.length > 0) {
            sizes[dim] = a.integer("k", 1);
        }
        Tensor values = e.empty(x.dtype(), sizes);
        Tensor places = e.empty(DType.INT64, sizes);
        Tensor packed = Copies.packed(e, x);
        LongLines.search(e, packed, dim, a.integer("k", 1));
        e.backend().reductions().sort(values, places, packed, dim, a.flag("largest", true));
        e.freeUnless(packed, x);
        return recorded(e, r, x, values, places, dim);
    }

    /** value_selecting_reduction_backward: zeros, into which the gradient is scattered. */
    private static Tensor[] recorded(Eager e, Recorder r, Tensor x, Tensor values, Tensor places, int dim) {
        long[] before = x.sizes();
        SavedTensor saved = r.saveOutput(places);
        r.backward(g -> {
            Tensor out = Slices.zeros(e, g[0], before);
            e.backend().indexing().scatterAdd(out, dim, saved.get(), g[0]);
            return new Tensor[] {out};
        });
        return new Tensor[] {x.dtype().isFloatingPoint() ? r.output(values) : values, places};
    }
}
