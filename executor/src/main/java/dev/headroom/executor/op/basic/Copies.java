package dev.headroom.executor.op.basic;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/** Copies that operators make on the way, recorded as PyTorch records them. */
public final class Copies {
    private Copies() {}

    /** Fills a tensor with another's values, which broadcast, without recording. */
    public static void fill(Eager e, Tensor into, Tensor from) {
        Elementwise.into(e, Formula.COPY, into, from);
    }

    /** Zeros before a kernel adds to them, which take no memory. */
    public static void clear(Eager e, Tensor t) {
        Elementwise.fill(e, t, 0);
    }

    /** Strides of a memory format for a tensor of given sizes. */
    public static long[] strides(Tensor t, MemoryFormat format) {
        return switch (format) {
            case CONTIGUOUS -> Layout.contiguous(t.sizes());
            case PRESERVE -> Layout.preserved(t.sizes(), t.strides());
            case CHANNELS_LAST, CHANNELS_LAST_3D -> Layout.channelsLast(t.sizes());
        };
    }

    /** {@code clone(memory_format=…)}: the gradient goes through untouched. */
    public static Tensor clone(Eager e, Tensor t, MemoryFormat format) {
        var r = e.record("CloneBackward0", t);
        Tensor out = e.emptyStrided(t.dtype(), t.sizes(), strides(t, format));
        fill(e, out, t);
        return r.backward(g -> new Tensor[] {g[0]}).output(out);
    }

    /** Row-major values for a kernel: the tensor itself or, below autograd, a copy. */
    public static Tensor packed(Eager e, Tensor t) {
        if (t.isContiguous()) {
            return t;
        }
        Tensor out = e.empty(t.dtype(), t.sizes());
        fill(e, out, t);
        return out;
    }

    /** {@code contiguous()}: the tensor itself when it is row-major already. */
    public static Tensor contiguous(Eager e, Tensor t) {
        return contiguous(e, t, MemoryFormat.CONTIGUOUS);
    }

    /** {@code contiguous(memory_format=…)}. */
    public static Tensor contiguous(Eager e, Tensor t, MemoryFormat format) {
        boolean fits =
                format == MemoryFormat.CONTIGUOUS ? t.isContiguous() : Layout.isChannelsLast(t.sizes(), t.strides());
        return fits ? t : clone(e, t, format);
    }

    /** {@code to(dtype)}: the tensor itself when it has the type (aten::_to_copy). */
    public static Tensor to(Eager e, Tensor t, DType dtype) {
        return t.dtype() == dtype ? t : convert(e, t, dtype, MemoryFormat.PRESERVE);
    }

    /** {@code _to_copy}. */
    static Tensor convert(Eager e, Tensor t, DType dtype, MemoryFormat format) {
        if (!t.onDevice()) {
            return Tensor.number(dtype, t.number());
        }
        DType from = t.dtype();
        var r = e.record("ToCopyBackward0", t);
        Tensor out = e.emptyStrided(dtype, t.sizes(), strides(t, format));
        fill(e, out, t);
        // Integers have no gradient.
        boolean differentiable = hasGradient(dtype) && hasGradient(from);
        boolean made = dtype.isComplex() && !from.isComplex();
        r.backward(g -> new Tensor[] {made ? to(e, e.part(g[0], 0), from) : to(e, g[0], from)});
        return differentiable ? r.output(out) : out;
    }

    private static boolean hasGradient(DType t) {
        return t.isFloatingPoint() || t.isComplex();
    }

    /** {@code sum_to_size} below autograd's view of it: sums the dimensions that broadcasting made. */
    static Tensor sumTo(Eager e, Tensor t, long[] sizes) {
        if (Arrays.equals(t.sizes(), sizes)) {
            return t;
        }
        int leading = t.dims() - sizes.length;
        long[] kept = t.sizes().clone();
        boolean reduces = leading > 0;
        for (int i = 0; i < kept.length; i++) {
            if (i < leading || sizes[i - leading] == 1 && kept[i] != 1) {
                kept[i] = 1;
                reduces = true;
            }
        }
        Tensor sum = reduces ? Reductions.sum(e, t, kept, t.dtype()) : t;
        if (leading == 0) {
            return sum;
        }
        // To a scalar, sum_to (ATen/ExpandUtils.h) sums at once; else what it returns is a view.
        return sizes.length == 0 ? Views.unsafeView(e, sum, sizes) : Views.view(e, sum, sizes);
    }
}
