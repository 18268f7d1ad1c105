package dev.headroom.executor.op.basic;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Parts of tensors as views, with their backward functions (derivatives.yaml: slice, select, split, unbind). */
public final class Slices {
    private Slices() {}

    /** {@code slice}; bounds beyond the ends are cut, negative ones count from the end. */
    public static Tensor slice(Eager e, Tensor t, long dim, long from, long to, long step) {
        int at = Layout.dimension(dim, t.dims());
        long size = t.size(at);
        long start = clamped(from < 0 ? from + size : from, 0, size);
        long end = clamped(to < 0 ? to + size : to, start, size);
        if (start == 0 && end == size && step == 1) {
            // Python's x[:] passes such dimensions over (python_variable_indexing.cpp, applySlicing).
            return t;
        }
        long[] before = t.sizes();
        return e.record("SliceBackward0", t)
                .backward(g -> new Tensor[] {sliceGradient(e, g[0], before, at, start, step)})
                .output(part(e, t, at, start, Bytes.ceilDiv(end - start, step), step));
    }

    private static long clamped(long value, long least, long most) {
        return Math.max(least, Math.min(most, value));
    }

    /** A view of some entries along a dimension, without history. */
    private static Tensor part(Eager e, Tensor t, int dim, long start, long count, long step) {
        long[] sizes = t.sizes().clone();
        long[] strides = t.strides().clone();
        long offset = t.offset() + start * strides[dim];
        sizes[dim] = count;
        strides[dim] *= step;
        return e.view(t, sizes, strides, offset);
    }

    /** slice_backward: zeros with the gradient in its place. */
    private static Tensor sliceGradient(Eager e, Tensor g, long[] sizes, int dim, long start, long step) {
        Tensor out = zeros(e, g, sizes);
        long[] strides = out.strides().clone();
        strides[dim] *= step;
        Copies.fill(e, e.alias(out, g.sizes(), strides, start * out.stride(dim)), g);
        return out;
    }

    /** A fresh row-major tensor of zeros of another's type. */
    public static Tensor zeros(Eager e, Tensor like, long... sizes) {
        Tensor out = e.empty(like.dtype(), sizes);
        Elementwise.fill(e, out, 0);
        return out;
    }

    /** {@code select}: one entry along a dimension, which goes. */
    public static Tensor select(Eager e, Tensor t, long dim, long index) {
        int at = Layout.dimension(dim, t.dims());
        long place = index < 0 ? index + t.size(at) : index;
        long[] before = t.sizes();
        return e.record("SelectBackward0", t)
                .backward(g -> new Tensor[] {selectGradient(e, g[0], before, at, place)})
                .output(entry(e, t, at, place));
    }

    private static Tensor entry(Eager e, Tensor t, int dim, long place) {
        return e.view(
                t,
                Layout.removed(t.sizes(), dim),
                Layout.removed(t.strides(), dim),
                t.offset() + place * t.stride(dim));
    }

    private static Tensor selectGradient(Eager e, Tensor g, long[] sizes, int dim, long place) {
        Tensor out = zeros(e, g, sizes);
        Copies.fill(e, entry(e, out, dim, place), g);
        return out;
    }

    /** {@code split} into parts of one size, the last of which may be shorter: views with one node. */
    public static Tensor[] split(Eager e, Tensor t, long size, long dim) {
        int at = Layout.dimension(dim, t.dims());
        long whole = t.size(at);
        long parts = size == 0 ? 1 : Math.max(1, Bytes.ceilDiv(whole, size));
        long[] lengths = new long[Math.toIntExact(parts)];
        Arrays.fill(lengths, size);
        lengths[lengths.length - 1] = whole - size * (parts - 1);
        return pieces(e, t, at, lengths, "SplitBackward0");
    }

    /** {@code split_with_sizes}. */
    public static Tensor[] split(Eager e, Tensor t, long[] lengths, long dim) {
        return pieces(e, t, Layout.dimension(dim, t.dims()), lengths, "SplitWithSizesBackward0");
    }

    /** {@code chunk}: a split into so many parts or fewer. */
    public static Tensor[] chunk(Eager e, Tensor t, long chunks, long dim) {
        long whole = t.size(Layout.dimension(dim, t.dims()));
        return split(e, t, Bytes.ceilDiv(whole, chunks), dim);
    }

    private static Tensor[] pieces(Eager e, Tensor t, int dim, long[] lengths, String node) {
        long[] before = t.sizes();
        Recorder r = e.record(node, t);
        r.backward(g -> new Tensor[] {joined(e, g, before, dim, lengths)});
        Tensor[] out = new Tensor[lengths.length];
        long start = 0;
        for (int i = 0; i < out.length; i++) {
            out[i] = r.output(part(e, t, dim, start, lengths[i], 1));
            start += lengths[i];
        }
        return out;
    }

    /** split_backward: gradients joined, with zeros for parts that nothing used. */
    private static Tensor joined(Eager e, @Nullable Tensor[] gradients, long[] sizes, int dim, long[] lengths) {
        Tensor like = any(gradients);
        Tensor[] all = gradients.clone();
        for (int i = 0; i < all.length; i++) {
            if (all[i] == null) {
                long[] part = sizes.clone();
                part[dim] = lengths[i];
                all[i] = zeros(e, like, part);
            }
        }
        Tensor out = Formats.empty(e, like.dtype(), Formats.common(all), sizes);
        long start = 0;
        for (int i = 0; i < all.length; i++) {
            Copies.fill(e, e.alias(out, all[i].sizes(), out.strides(), start * out.stride(dim)), all[i]);
            start += lengths[i];
        }
        freeZeros(e, all, gradients);
        return out;
    }

    /** Of the parts that nothing used: a vector's elements go first to last. */
    private static void freeZeros(Eager e, Tensor[] all, @Nullable Tensor[] given) {
        for (int i = 0; i < all.length; i++) {
            e.freeUnless(all[i], given[i]);
        }
    }

    private static Tensor any(@Nullable Tensor[] gradients) {
        return Arrays.stream(gradients).filter(g -> g != null).findFirst().orElseThrow();
    }

    /** {@code unbind}: every entry along a dimension. */
    public static Tensor[] unbind(Eager e, Tensor t, long dim) {
        int at = Layout.dimension(dim, t.dims());
        long[] before = t.sizes();
        Recorder r = e.record("UnbindBackward0", t);
        r.backward(g -> new Tensor[] {stacked(e, g, before, at)});
        Tensor[] out = new Tensor[Math.toIntExact(t.size(at))];
        for (int i = 0; i < out.length; i++) {
            out[i] = r.output(entry(e, t, at, i));
        }
        return out;
    }

    private static Tensor stacked(Eager e, @Nullable Tensor[] gradients, long[] sizes, int dim) {
        Tensor like = any(gradients);
        Tensor[] all = gradients.clone();
        for (int i = 0; i < all.length; i++) {
            all[i] = all[i] == null ? zeros(e, like, like.sizes()) : all[i];
        }
        Tensor out = e.empty(like.dtype(), sizes);
        for (int i = 0; i < all.length; i++) {
            Copies.fill(e, entry(e, out, dim, i), all[i]);
        }
        freeZeros(e, all, gradients);
        return out;
    }
}
