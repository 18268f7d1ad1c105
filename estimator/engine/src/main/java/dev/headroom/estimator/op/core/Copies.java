package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Shapes;

/** Copies into other memory, another layout or another type. */
public final class Copies {
    private Copies() {}

    /** {@code suggest_memory_format}: whether the strides are those of channels-last memory. */
    public static boolean suggestsChannelsLast(Tensor t) {
        return Shapes.isChannelsLastStrides(t.sizes(), t.strides());
    }

    /** Strides of a tensor's sizes in a memory format. */
    public static long[] strides(Tensor t, MemoryFormat format) {
        return switch (format) {
            case CONTIGUOUS -> Shapes.contiguous(t.sizes());
            case PRESERVE -> Shapes.preserved(t.sizes(), t.strides());
            case CHANNELS_LAST, CHANNELS_LAST_3D -> Shapes.channelsLast(t.sizes());
        };
    }

    private static boolean has(Tensor t, MemoryFormat format) {
        return switch (format) {
            case CONTIGUOUS -> t.isContiguous();
            case PRESERVE -> true;
            case CHANNELS_LAST, CHANNELS_LAST_3D -> Shapes.isChannelsLastContiguous(t.sizes(), t.strides());
        };
    }

    /** {@code clone()} with {@code torch.preserve_format}. */
    public static Tensor clone(EagerRuntime rt, Tensor t) {
        return clone(rt, t, MemoryFormat.PRESERVE);
    }

    public static Tensor cloneContiguous(EagerRuntime rt, Tensor t) {
        return clone(rt, t, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor clone(EagerRuntime rt, Tensor t, MemoryFormat format) {
        Recorder r = rt.record("CloneBackward0", t);
        Tensor out = rt.emptyStrided(t.dtype(), t.sizes(), strides(t, format));
        return r.gradient(0, g -> g).again().output(out);
    }

    /** {@code contiguous()}: the tensor itself when it is already so. */
    public static Tensor contiguous(EagerRuntime rt, Tensor t) {
        return contiguous(rt, t, MemoryFormat.CONTIGUOUS);
    }

    public static Tensor contiguous(EagerRuntime rt, Tensor t, MemoryFormat format) {
        return has(t, format) ? t : clone(rt, t, format);
    }

    /** {@code contiguous()} inside of a kernel, below autograd: the copy is no node of its own. */
    public static Tensor dense(EagerRuntime rt, Tensor t, MemoryFormat format) {
        return has(t, format) ? t : rt.emptyStrided(t.dtype(), t.sizes(), strides(t, format));
    }

    /** As {@link #dense(EagerRuntime, Tensor, MemoryFormat)}, row-major. */
    public static Tensor dense(EagerRuntime rt, Tensor t) {
        return dense(rt, t, MemoryFormat.CONTIGUOUS);
    }

    /** {@code to(dtype)}: the tensor itself when it is already of the type. */
    public static Tensor to(EagerRuntime rt, Tensor t, DType type) {
        return t.dtype() == type ? t : toCopy(rt, t, type, MemoryFormat.PRESERVE);
    }

    /** {@code _to_copy}: always a copy. */
    public static Tensor toCopy(EagerRuntime rt, Tensor t, DType type, MemoryFormat format) {
        Recorder r = type.isFloatingPoint() || type.isComplex()
                ? rt.record("ToCopyBackward0", t)
                : rt.record("ToCopyBackward0");
        Tensor out = rt.emptyStrided(type, t.sizes(), strides(t, format));
        DType from = t.dtype();
        boolean made = type.isComplex() && !from.isComplex();
        return r.gradient(0, g -> made ? realPart(rt, g, from) : to(rt, g, from))
                .again()
                .output(out);
    }

    /** The gradient of a real number is the real part, a view (handle_r_to_c). */
    private static Tensor realPart(EagerRuntime rt, Tensor g, DType type) {
        long[] strides = java.util.Arrays.stream(g.strides()).map(s -> 2 * s).toArray();
        DType half =
                switch (g.dtype()) {
                    case COMPLEX128 -> DType.FLOAT64;
                    case COMPLEX32 -> DType.FLOAT16;
                    default -> DType.FLOAT32;
                };
        return to(rt, rt.reinterpret(g, half, g.sizes(), strides, 2 * g.offset()), type);
    }

    /**
     * Keeps an operand if the condition holds. In place it is about to be overwritten, so autograd keeps a copy, made
     * before anything else (tools/autograd/gen_variable_type.py).
     */
    public static Saved saveIf(boolean condition, Recorder r, EagerRuntime rt, Tensor t, boolean inPlace) {
        return condition && inPlace && r.records() ? r.saveCopy(clone(rt, t)) : r.saveIf(condition, t);
    }

    /** {@code copy_}: into memory that exists. */
    public static Tensor copyInto(EagerRuntime rt, Tensor self, Tensor source) {
        Recorder r = rt.record("CopyBackwards", self, source);
        DType type = source.dtype();
        return r.gradients(grads -> {
                    Tensor g = grads[0];
                    Tensor[] out = new Tensor[2];
                    if (g != null && r.needs(0)) {
                        out[0] = Creation.zeros(rt, g.dtype(), g.sizes());
                    }
                    if (g != null && r.needs(1)) {
                        out[1] = to(rt, g, type);
                    }
                    return out;
                })
                .output(self);
    }
}
