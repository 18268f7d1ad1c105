package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** One value at places (ATen/native/Fill.cpp, fill_diagonal_; TensorAdvancedIndexing.cpp, index_fill). */
final class Filling {
    private Filling() {}

    static void register(Registry r) {
        r.single("aten.fill_diagonal_", c -> diagonal(new Body(c.runtime(), r), c));
        r.single("aten.index_fill.int_Tensor", c -> byTensor(c, false));
        r.single("aten.index_fill_.int_Tensor", c -> byTensor(c, true));
    }

    /** The diagonal is a view that is filled; in tall matrices that wrap, what follows it is a second one. */
    private static Tensor diagonal(Body b, Call c) {
        Tensor t = c.tensor("self");
        long size = t.dim() < 2 ? t.numel() : Math.min(t.size(0), t.size(1));
        long step = Arrays.stream(t.strides()).sum();
        fill(b, t, size, step, t.offset());
        if (c.flag("wrap", false) && t.dim() == 2 && t.size(0) > t.size(1) + 1) {
            long width = t.size(1) + 1;
            long rest = (t.numel() + width - 1) / width - size;
            fill(b, t, rest, step, t.offset() + t.strides()[0] * width);
        }
        return b.give(t);
    }

    private static void fill(Body b, Tensor t, long size, long step, long offset) {
        Tensor line = b.let(b.call("as_strided", t, new long[] {size}, new long[] {step}, offset));
        b.call("fill_.Scalar", line, 0);
        b.end();
    }

    /**
     * The host reads the value. Its gradient is summed over the entries that differ, of which the gradient's are
     * copied: how many do is in the data, and all count as different.
     */
    private static Tensor byTensor(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor index = c.tensor("index");
        Tensor value = c.tensor("value");
        int dim = t.dim() == 0 ? 0 : Shapes.wrap(c.integer("dim"), t.dim());
        Recorder r = rt.record("IndexFillBackward1", t, value);
        Saved at = r.save(index);
        if (r.needs(1)) {
            rt.workspaces().noteBound();
        }
        Tensor out = inPlace ? t : rt.emptyLike(t);
        return r.gradient(0, g -> rt.emptyLike(g))
                .gradient(1, g -> ofValue(rt, g, at.get(), dim))
                .output(out);
    }

    private static Tensor ofValue(EagerRuntime rt, Tensor g, Tensor index, int dim) {
        Tensor different = different(rt, index);
        long[] sizes = g.sizes().clone();
        if (sizes.length > 0) {
            sizes[dim] = index.numel();
        }
        Tensor entries = rt.empty(g.dtype(), sizes);
        Tensor sum = Reductions.sum(rt, entries, null, false, g.dtype());
        rt.free(entries);
        rt.free(different);
        return sum;
    }

    /** {@code at::_unique} of integers (ATen/native/cuda/Unique.cu): sorted, as if with values, then each once. */
    private static Tensor different(EagerRuntime rt, Tensor t) {
        long n = t.numel();
        int width = t.dtype().bytes();
        Tensor sorted = rt.empty(t.dtype(), n);
        rt.free(rt.scratch(CubScratch.sortPairs(rt.device(), n, width, width * Byte.SIZE)));
        Tensor out = rt.empty(t.dtype(), n);
        Tensor count = rt.empty(DType.INT64);
        rt.free(rt.scratch(CubScratch.unique(rt.device(), n, width)));
        rt.free(count);
        rt.free(sorted);
        return out;
    }
}
