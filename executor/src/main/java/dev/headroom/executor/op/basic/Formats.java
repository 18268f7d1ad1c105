package dev.headroom.executor.op.basic;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.nullness.Contract;
import org.jspecify.annotations.Nullable;

/** Memory formats below autograd: nothing here is recorded. */
public final class Formats {
    private Formats() {}

    /** {@code suggest_memory_format()}: channels last when the strides say so, packed or not, else row-major. */
    public static MemoryFormat suggested(Tensor t) {
        if (!Layout.looksChannelsLast(t.sizes(), t.strides())) {
            return MemoryFormat.CONTIGUOUS;
        }
        return t.dims() == 4 ? MemoryFormat.CHANNELS_LAST : MemoryFormat.CHANNELS_LAST_3D;
    }

    /** cat_compute_output_memory_format: what all of them have. */
    public static MemoryFormat common(Tensor... parts) {
        MemoryFormat common = suggested(parts[0]);
        for (Tensor t : parts) {
            if (common != suggested(t)) {
                return MemoryFormat.CONTIGUOUS;
            }
        }
        return common;
    }

    /** Strides of a packed tensor. */
    static long[] strides(MemoryFormat format, long... sizes) {
        return format == MemoryFormat.CONTIGUOUS ? Layout.contiguous(sizes) : Layout.channelsLast(sizes);
    }

    /** A fresh tensor of a format. */
    public static Tensor empty(Eager e, DType type, MemoryFormat format, long... sizes) {
        return e.emptyStrided(type, sizes, strides(format, sizes));
    }

    /** {@code contiguous(memory_format)}: the tensor itself when it is packed so already. */
    public static Tensor packed(Eager e, Tensor t, MemoryFormat format) {
        boolean fits =
                format == MemoryFormat.CONTIGUOUS ? t.isContiguous() : Layout.isChannelsLast(t.sizes(), t.strides());
        if (fits) {
            return t;
        }
        Tensor out = empty(e, t.dtype(), format, t.sizes());
        Copies.fill(e, out, t);
        return out;
    }

    /** {@code to(memory_format)}: the tensor itself when its strides suggest the format, else a copy in any case. */
    public static Tensor turned(Eager e, Tensor t, MemoryFormat format) {
        if (suggested(t) == format) {
            return t;
        }
        Tensor out = empty(e, t.dtype(), format, t.sizes());
        Copies.fill(e, out, t);
        return out;
    }

    /** {@code contiguous()}; {@code null} is let through. */
    @Contract("_, !null -> !null")
    public static @Nullable Tensor packed(Eager e, @Nullable Tensor t) {
        return t == null ? null : packed(e, t, MemoryFormat.CONTIGUOUS);
    }

    /** {@code unsqueeze} of a tensor that autograd does not see. */
    public static Tensor inserted(Eager e, Tensor t, int dim) {
        long[] sizes = Layout.inserted(t.sizes(), dim, 1);
        long step = dim < t.dims() ? t.size(dim) * t.stride(dim) : 1;
        return e.alias(t, sizes, Layout.inserted(t.strides(), dim, step), t.offset());
    }

    /** {@code squeeze} of a dimension of size 1 that autograd does not see. */
    public static Tensor removed(Eager e, Tensor t, int dim) {
        return e.alias(t, Layout.removed(t.sizes(), dim), Layout.removed(t.strides(), dim), t.offset());
    }
}
