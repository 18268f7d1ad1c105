package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Views: other sizes and strides over the same memory (ATen/native/TensorShape.cpp). */
public final class Views {
    private Views() {}

    public static Tensor make(
            EagerRuntime rt,
            String node,
            Tensor base,
            long[] sizes,
            long[] strides,
            long offset,
            Recorder.InputGradient gradient) {
        return make(rt, node, base, sizes, strides, offset, gradient, false);
    }

    private static Tensor recorded(
            EagerRuntime rt,
            String node,
            Tensor base,
            long[] sizes,
            long[] strides,
            long offset,
            Recorder.InputGradient gradient) {
        return make(rt, node, base, sizes, strides, offset, gradient, true);
    }

    /** @param recorded whether the gradient's formula is recorded where gradients are */
    private static Tensor make(
            EagerRuntime rt,
            String node,
            Tensor base,
            long[] sizes,
            long[] strides,
            long offset,
            Recorder.InputGradient gradient,
            boolean recorded) {
        Tensor out = rt.view(base, sizes, strides, offset);
        Recorder r = rt.record(node, base).gradient(0, gradient);
        return (recorded ? r.again() : r).output(out);
    }

    /** {@code slice_backward}, {@code select_backward}: zeros, with the gradient copied into a part. */
    private static Tensor padded(EagerRuntime rt, String node, Tensor g, long[] sizes, UnaryOperator<Tensor> part) {
        Recorder r = rt.record(node, g);
        Tensor out = Creation.zeros(rt, g.dtype(), sizes);
        return r.gradient(0, part::apply).again().output(out);
    }

    /** Another tensor over the same memory and history, as {@code aten::alias} gives. */
    public static Tensor alias(EagerRuntime rt, Tensor t) {
        return recorded(rt, "AliasBackward0", t, t.sizes(), t.strides(), t.offset(), g -> g);
    }

    /** {@code view}: sizes may hold one -1. */
    public static Tensor view(EagerRuntime rt, Tensor t, long... sizes) {
        long[] to = Shapes.inferSize(sizes, t.numel());
        long[] strides = Shapes.viewStrides(t.sizes(), t.strides(), to);
        if (strides == null) {
            throw new UserInputException("view of " + Arrays.toString(t.sizes()) + " as " + Arrays.toString(to)
                    + " is not possible with strides " + Arrays.toString(t.strides()));
        }
        long[] from = t.sizes();
        return recorded(rt, "ViewBackward0", t, to, strides, t.offset(), g -> reshape(rt, g, from));
    }

    /** {@code reshape}: a view where strides allow it, else a contiguous copy. */
    public static Tensor reshape(EagerRuntime rt, Tensor t, long... sizes) {
        long[] to = Shapes.inferSize(sizes, t.numel());
        long[] strides = Shapes.viewStrides(t.sizes(), t.strides(), to);
        if (strides != null) {
            long[] from = t.sizes();
            return recorded(rt, "ViewBackward0", t, to, strides, t.offset(), g -> reshape(rt, g, from));
        }
        Tensor copy = Copies.cloneContiguous(rt, t);
        Tensor out = unsafeView(rt, copy, to);
        rt.free(copy);
        return out;
    }

    /** {@code _unsafe_view}: a view that autograd does not treat as one. */
    public static Tensor unsafeView(EagerRuntime rt, Tensor t, long... sizes) {
        long[] to = Shapes.inferSize(sizes, t.numel());
        long[] from = t.sizes();
        Tensor out = rt.reinterpret(
                t, to, Objects.requireNonNull(Shapes.viewStrides(from, t.strides(), to), "a view"), t.offset());
        Recorder r = rt.record("UnsafeViewBackward0", t);
        return r.gradient(0, g -> reshape(rt, g, from)).again().output(out);
    }

    public static Tensor transpose(EagerRuntime rt, Tensor t, long dim0, long dim1) {
        if (t.dim() == 0) {
            return alias(rt, t);
        }
        int a = Shapes.wrap(dim0, t.dim());
        int b = Shapes.wrap(dim1, t.dim());
        long[] sizes = t.sizes().clone();
        long[] strides = t.strides().clone();
        swap(sizes, a, b);
        swap(strides, a, b);
        return recorded(rt, "TransposeBackward0", t, sizes, strides, t.offset(), g -> transpose(rt, g, a, b));
    }

    private static void swap(long[] v, int a, int b) {
        long x = v[a];
        v[a] = v[b];
        v[b] = x;
    }

    /** {@code t()}: the transpose of a matrix; vectors stay. */
    public static Tensor t(EagerRuntime rt, Tensor m) {
        if (m.dim() < 2) {
            return recorded(rt, "TBackward0", m, m.sizes(), m.strides(), m.offset(), g -> t(rt, g));
        }
        long[] sizes = {m.size(1), m.size(0)};
        long[] strides = {m.stride(1), m.stride(0)};
        return recorded(rt, "TBackward0", m, sizes, strides, m.offset(), g -> t(rt, g));
    }

    public static Tensor permute(EagerRuntime rt, Tensor t, long... dims) {
        long[] sizes = new long[dims.length];
        long[] strides = new long[dims.length];
        long[] inverse = new long[dims.length];
        for (int i = 0; i < dims.length; i++) {
            int d = Shapes.wrap(dims[i], t.dim());
            sizes[i] = t.size(d);
            strides[i] = t.stride(d);
            inverse[d] = i;
        }
        return recorded(rt, "PermuteBackward0", t, sizes, strides, t.offset(), g -> permute(rt, g, inverse));
    }

    /** {@code expand}: -1 keeps a size. */
    public static Tensor expand(EagerRuntime rt, Tensor t, long... sizes) {
        int shift = sizes.length - t.dim();
        if (shift < 0) {
            throw new UserInputException(
                    "expand of " + Arrays.toString(t.sizes()) + " to fewer dimensions " + Arrays.toString(sizes));
        }
        long[] to = sizes.clone();
        for (int i = shift; i < to.length; i++) {
            if (to[i] == -1) {
                to[i] = t.size(i - shift);
            }
        }
        long[] strides = new long[to.length];
        for (int i = to.length - 1; i >= 0; i--) {
            if (i >= shift) {
                boolean grown = t.size(i - shift) == 1 && to[i] != 1;
                strides[i] = grown ? 0 : t.stride(i - shift);
            } else {
                strides[i] = 0;
                if (to[i] == 1) {
                    strides[i] = i + 1 < to.length ? to[i + 1] * strides[i + 1] : 1;
                }
            }
        }
        long[] from = t.sizes();
        return recorded(
                rt,
                "ExpandBackward0",
                t,
                to,
                strides,
                t.offset(),
                g -> from.length == 0 ? Reductions.sum(rt, g, null, false, g.dtype()) : Reductions.sumTo(rt, g, from));
    }

    /** {@code slice}; {@code end} may lie beyond the size, both may count from the end. */
    public static Tensor slice(EagerRuntime rt, Tensor t, long dim, long start, long end, long step) {
        int d = Shapes.wrap(dim, t.dim());
        long size = t.size(d);
        long from = Math.min(Math.max(start < 0 ? start + size : start, 0), size);
        long to = Math.min(Math.max(end < 0 ? end + size : end, from), size);
        long[] sizes = t.sizes().clone();
        long[] strides = t.strides().clone();
        sizes[d] = (to - from + step - 1) / step;
        strides[d] *= step;
        long[] original = t.sizes();
        return recorded(
                rt,
                "SliceBackward0",
                t,
                sizes,
                strides,
                t.offset() + from * t.stride(d),
                g -> padded(rt, "SliceBackwardBackward0", g, original, gg -> slice(rt, gg, d, from, to, step)));
    }

    public static Tensor select(EagerRuntime rt, Tensor t, long dim, long index) {
        int d = Shapes.wrap(dim, t.dim());
        long i = index < 0 ? index + t.size(d) : index;
        long[] original = t.sizes();
        return recorded(
                rt,
                "SelectBackward0",
                t,
                Dimensions.without(t.sizes(), d),
                Dimensions.without(t.strides(), d),
                t.offset() + i * t.stride(d),
                g -> padded(rt, "SelectBackwardBackward0", g, original, gg -> select(rt, gg, d, i)));
    }

    /** {@code as_strided}; its gradient is a view of fresh zeros (FunctionsManual.cpp, as_strided_backward). */
    public static Tensor asStrided(EagerRuntime rt, Tensor t, long[] sizes, long[] strides, long offset) {
        long extent = Math.max(extent(t.sizes(), t.strides()), extent(sizes, strides));
        long[] from = t.sizes();
        long[] layout = t.strides();
        return make(rt, "AsStridedBackward1", t, sizes, strides, offset, g -> {
            Tensor storage = Creation.zeros(rt, g.dtype(), extent);
            if (mayOverlap(sizes, strides)) { // index_add_ at the places of the elements
                Tensor places = rt.empty(DType.INT64, extent);
                Tensor read = rt.empty(DType.INT64, Shapes.numel(sizes));
                rt.free(read);
                rt.free(places);
            }
            Tensor view = rt.reinterpret(storage, from, layout, 0);
            rt.free(storage);
            return view;
        });
    }

    /** FunctionsManual.cpp, _maybe_overlapping_memory. */
    private static boolean mayOverlap(long[] sizes, long[] strides) {
        Integer[] order = java.util.stream.IntStream.range(0, sizes.length)
                .filter(i -> sizes[i] > 1)
                .boxed()
                .sorted(java.util.Comparator.comparingLong(i -> strides[i]))
                .toArray(Integer[]::new);
        long reached = 0;
        for (int i : order) {
            if (strides[i] <= reached) {
                return true;
            }
            reached += strides[i] * (sizes[i] - 1);
        }
        return false;
    }

    /** Elements from the first to the last of a strided tensor. */
    private static long extent(long[] sizes, long[] strides) {
        long last = 0;
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == 0) {
                return 0;
            }
            last += (sizes[i] - 1) * strides[i];
        }
        return last + 1;
    }

    public static Tensor unsqueeze(EagerRuntime rt, Tensor t, long dim) {
        int d = Shapes.wrap(dim, t.dim() + 1);
        long[] sizes = Dimensions.with(t.sizes(), d, 1);
        long stride = d >= t.dim() ? 1 : t.size(d) * t.stride(d);
        long[] strides = Dimensions.with(t.strides(), d, stride);
        return recorded(rt, "UnsqueezeBackward0", t, sizes, strides, t.offset(), g -> squeeze(rt, g, d));
    }

    /** {@code squeeze} of some dimensions, or of all where none are named. */
    public static Tensor squeeze(EagerRuntime rt, Tensor t, long... dims) {
        boolean[] drop = new boolean[t.dim()];
        if (dims.length == 0) {
            Arrays.fill(drop, true);
        }
        for (long d : dims) {
            if (t.dim() > 0) {
                drop[Shapes.wrap(d, t.dim())] = true;
            }
        }
        long[] sizes = new long[t.dim()];
        long[] strides = new long[t.dim()];
        int n = 0;
        for (int i = 0; i < t.dim(); i++) {
            if (!drop[i] || t.size(i) != 1) {
                sizes[n] = t.size(i);
                strides[n++] = t.stride(i);
            }
        }
        long[] original = t.sizes();
        return recorded(
                rt,
                "SqueezeBackward1",
                t,
                Arrays.copyOf(sizes, n),
                Arrays.copyOf(strides, n),
                t.offset(),
                g -> view(rt, g, original));
    }

    /** {@code flatten}: a reshape that joins dimensions start to end. */
    public static Tensor flatten(EagerRuntime rt, Tensor t, long start, long end) {
        if (t.dim() == 0) {
            return reshape(rt, t, 1);
        }
        int a = Shapes.wrap(start, t.dim());
        int b = Shapes.wrap(end, t.dim());
        if (a == b) {
            return t;
        }
        long[] sizes = new long[t.dim() - (b - a)];
        long joined = 1;
        for (int i = a; i <= b; i++) {
            joined *= t.size(i);
        }
        int n = 0;
        for (int i = 0; i < t.dim(); i++) {
            if (i < a || i > b) {
                sizes[n++] = t.size(i);
            } else if (i == a) {
                sizes[n++] = joined;
            }
        }
        return reshape(rt, t, sizes);
    }
}
