package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;

/** Views beyond slices and permutations, and what is made of them (ATen/native/TensorShape.cpp). */
final class StridedViews {
    private StridedViews() {}

    static Tensor diagonal(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        int a = Shapes.wrap(c.integer("dim1", 0), t.dim());
        int b = Shapes.wrap(c.integer("dim2", 1), t.dim());
        return diagonal(rt, t, c.integer("offset", 0), a, b);
    }

    static Tensor diagonal(EagerRuntime rt, Tensor t, long shift, int a, int b) {
        long length = Math.max(
                0, shift >= 0 ? Math.min(t.size(a), t.size(b) - shift) : Math.min(t.size(a) + shift, t.size(b)));
        long start = t.offset() + (shift >= 0 ? shift * t.stride(b) : -shift * t.stride(a));
        long[] sizes = Dimensions.without(Dimensions.without(t.sizes(), Math.max(a, b)), Math.min(a, b));
        long[] strides = Dimensions.without(Dimensions.without(t.strides(), Math.max(a, b)), Math.min(a, b));
        long[] original = t.sizes();
        return Views.make(
                rt,
                "DiagonalBackward0",
                t,
                Dimensions.with(sizes, sizes.length, length),
                Dimensions.with(strides, strides.length, t.stride(a) + t.stride(b)),
                start,
                g -> Creation.zeros(rt, g.dtype(), original));
    }

    /** Windows along a dimension; the gradient is summed with the help of their positions (unfold_backward). */
    static Tensor unfold(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        if (t.dim() == 0) {
            throw new NoRule("windows of a number");
        }
        int d = Shapes.wrap(c.integer("dimension"), t.dim());
        long size = c.integer("size");
        long step = c.integer("step");
        long[] sizes = Dimensions.with(t.sizes(), t.dim(), size);
        sizes[d] = (t.size(d) - size) / step + 1;
        long[] strides = Dimensions.with(t.strides(), t.dim(), t.stride(d));
        strides[d] *= step;
        long[] original = t.sizes();
        return Views.make(rt, "UnfoldBackward0", t, sizes, strides, t.offset(), g -> {
            Tensor zeros = Creation.zeros(rt, g.dtype(), original);
            long covered = ((original[d] - size) / step) * step + size;
            rt.free(step >= size ? null : rt.empty(DType.INT64, covered));
            return zeros;
        });
    }

    static Tensor diagEmbed(Call c) {
        Tensor t = c.tensor("self");
        int dims = t.dim() + 1;
        int a = Shapes.wrap(c.integer("dim1", -2), dims);
        int b = Shapes.wrap(c.integer("dim2", -1), dims);
        long shift = c.integer("offset", 0);
        long n = t.size(-1) + Math.abs(shift);
        long[] sizes = Dimensions.with(Dimensions.without(t.sizes(), t.dim() - 1), Math.min(a, b), n);
        sizes = Dimensions.with(sizes, Math.max(a, b), n);
        Recorder r = c.runtime().record("DiagEmbedBackward0", t);
        Tensor out = c.runtime().empty(t.dtype(), sizes);
        return r.gradient(0, g -> diagonal(c.runtime(), g, shift, a, b)).output(out);
    }

    /** Zeros with the values on a diagonal; the gradient is that diagonal, a view. */
    static Tensor embedded(EagerRuntime rt, Tensor t, long shift) {
        long n = t.size(-1) + Math.abs(shift);
        long[] sizes = Dimensions.with(t.sizes(), t.dim(), n);
        sizes[t.dim() - 1] = n;
        Recorder r = rt.record("DiagEmbedBackward0", t);
        Tensor out = rt.empty(t.dtype(), sizes);
        return r.gradient(0, g -> diagonal(rt, g, shift, g.dim() - 2, g.dim() - 1))
                .output(out);
    }

    static Tensor diag(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long shift = c.integer("diagonal", 0);
        return t.dim() == 1 ? embedded(rt, t, shift) : Copies.clone(rt, diagonal(rt, t, shift, 0, 1));
    }

    /** A flipped copy, transposed for odd quarter turns. */
    static Tensor rot90(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long[] dims = c.integers("dims", 2, 0);
        if (!c.has("dims")) {
            dims = new long[] {0, 1};
        }
        Recorder r = rt.record("Rot90Backward0", t);
        boolean odd = Math.floorMod(c.integer("k", 1), 2) == 1;
        int a = Shapes.wrap(dims[0], t.dim());
        int b = Shapes.wrap(dims[1], t.dim());
        Tensor out = turned(rt, t, odd, a, b);
        return r.gradient(0, g -> turned(rt, g, odd, a, b)).output(out);
    }

    private static Tensor turned(EagerRuntime rt, Tensor t, boolean odd, int a, int b) {
        Tensor flipped = rt.emptyLike(t);
        if (!odd) {
            return flipped;
        }
        long[] sizes = flipped.sizes().clone();
        long[] strides = flipped.strides().clone();
        sizes[a] = flipped.size(b);
        sizes[b] = flipped.size(a);
        strides[a] = flipped.stride(b);
        strides[b] = flipped.stride(a);
        Tensor out = rt.reinterpret(flipped, sizes, strides, 0);
        rt.free(flipped);
        return out;
    }

    static Tensor[] tensorSplit(Call c) {
        Tensor t = c.tensor("self");
        int d = Shapes.wrap(c.integer("dim", 0), t.dim());
        long[] ends;
        if (c.has("indices")) {
            ends = Dimensions.with(c.integers("indices"), c.integers("indices").length, t.size(d));
        } else {
            long n = c.integer("sections");
            ends = new long[(int) n];
            long at = 0;
            for (int i = 0; i < n; i++) {
                at += t.size(d) / n + (i < t.size(d) % n ? 1 : 0);
                ends[i] = at;
            }
        }
        Tensor[] out = new Tensor[ends.length];
        long start = 0;
        for (int i = 0; i < out.length; i++) {
            out[i] = Views.slice(c.runtime(), t, d, start, ends[i], 1);
            start = ends[i];
        }
        return out;
    }

    static Tensor[] meshgrid(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor[] in = c.tensors("tensors");
        boolean swapped = c.text("indexing", "ij").equals("xy") && in.length >= 2;
        long[] sizes = new long[in.length];
        for (int i = 0; i < in.length; i++) {
            int place = swapped && i < 2 ? 1 - i : i;
            sizes[place] = in[i].numel();
        }
        Tensor[] out = new Tensor[in.length];
        for (int i = 0; i < in.length; i++) {
            int place = swapped && i < 2 ? 1 - i : i;
            long[] shape = new long[in.length];
            java.util.Arrays.fill(shape, 1);
            shape[place] = in[i].numel();
            Tensor seen = Views.expand(rt, Views.view(rt, in[i], shape), sizes);
            out[i] = seen;
        }
        return out;
    }

    /** Expanded, copied and flattened (ATen/native/Repeat.cpp). */
    static Tensor repeatInterleave(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.has("dim") ? c.tensor("self") : Views.flatten(rt, c.tensor("self"), 0, -1);
        int d = Shapes.wrap(c.integer("dim", 0), t.dim());
        Tensor unsqueezed = Views.unsqueeze(rt, t, d + 1);
        long[] sizes = unsqueezed.sizes().clone();
        sizes[d + 1] = c.integer("repeats");
        Tensor expanded = Views.expand(rt, unsqueezed, sizes);
        Tensor copy = Copies.cloneContiguous(rt, expanded);
        Tensor out = Views.flatten(rt, copy, d, d + 1);
        rt.free(copy);
        rt.free(expanded);
        rt.free(unsqueezed);
        return out;
    }
}
