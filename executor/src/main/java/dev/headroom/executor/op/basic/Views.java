package dev.headroom.executor.op.basic;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;
import java.util.Objects;

/** Views, recorded with their backward functions, which are views as well where they can be. */
public final class Views {
    private Views() {}

    /**
     * {@code view}.
     *
     * @throws UserInputException when only a copy can have the shape
     */
    public static Tensor view(Eager e, Tensor t, long... shape) {
        long[] sizes = Layout.inferred(shape, t.elements());
        long[] strides = Layout.viewed(t.sizes(), t.strides(), sizes);
        if (strides == null) {
            throw new UserInputException("view: a tensor of shape " + Arrays.toString(t.sizes()) + " with strides "
                    + Arrays.toString(t.strides()) + " cannot be seen as " + Arrays.toString(sizes));
        }
        long[] before = t.sizes();
        return e.record("ViewBackward0", t)
                .backward(g -> new Tensor[] {reshape(e, g[0], before)})
                .output(e.view(t, sizes, strides, t.offset()));
    }

    /** {@code reshape}: a view if that can be, else a copy. */
    public static Tensor reshape(Eager e, Tensor t, long... shape) {
        long[] sizes = Layout.inferred(shape, t.elements());
        if (Layout.viewed(t.sizes(), t.strides(), sizes) != null) {
            return view(e, t, sizes);
        }
        return e.call(() -> unsafeView(e, Copies.clone(e, t, MemoryFormat.CONTIGUOUS), sizes));
    }

    /** {@code _unsafe_view}: autograd takes it for no view, so it keeps nothing alive but the storage. */
    public static Tensor unsafeView(Eager e, Tensor t, long... sizes) {
        long[] before = t.sizes();
        long[] strides = Objects.requireNonNull(Layout.viewed(t.sizes(), t.strides(), sizes), "a view");
        return e.record("UnsafeViewBackward0", t)
                .backward(g -> new Tensor[] {reshape(e, g[0], before)})
                .output(e.alias(t, sizes, strides, t.offset()));
    }

    /** {@code transpose}. */
    public static Tensor transpose(Eager e, Tensor t, long dim0, long dim1) {
        int a = Layout.dimension(dim0, t.dims());
        int b = Layout.dimension(dim1, t.dims());
        long[] sizes = swapped(t.sizes(), a, b);
        return e.record("TransposeBackward0", t)
                .backward(g -> new Tensor[] {transpose(e, g[0], a, b)})
                .output(e.view(t, sizes, swapped(t.strides(), a, b), t.offset()));
    }

    private static long[] swapped(long[] values, int a, int b) {
        long[] out = values.clone();
        if (a != b) {
            out[a] = values[b];
            out[b] = values[a];
        }
        return out;
    }

    /** {@code t()}: of a matrix its transpose, of less the tensor itself as a view. */
    public static Tensor t(Eager e, Tensor t) {
        boolean matrix = t.dims() == 2;
        long[] sizes = matrix ? swapped(t.sizes(), 0, 1) : t.sizes();
        long[] strides = matrix ? swapped(t.strides(), 0, 1) : t.strides();
        return e.record("TBackward0", t)
                .backward(g -> new Tensor[] {t(e, g[0])})
                .output(e.view(t, sizes, strides, t.offset()));
    }

    /** {@code expand}. */
    public static Tensor expand(Eager e, Tensor t, long... shape) {
        long[] sizes = shape.clone();
        for (int i = 0; i < t.dims(); i++) {
            int at = sizes.length - t.dims() + i;
            sizes[at] = sizes[at] == -1 ? t.size(i) : sizes[at];
        }
        long[] before = t.sizes();
        return e.record("ExpandBackward0", t)
                .backward(g -> new Tensor[] {Copies.sumTo(e, g[0], before)})
                .output(e.view(t, sizes, Layout.expanded(t.sizes(), t.strides(), sizes), t.offset()));
    }

    /** {@code unsqueeze}. */
    public static Tensor unsqueeze(Eager e, Tensor t, long dim) {
        int at = Layout.dimension(dim, t.dims() + 1);
        long[] sizes = Layout.inserted(t.sizes(), at, 1);
        long step = at < t.dims() ? t.size(at) * t.stride(at) : 1;
        return e.record("UnsqueezeBackward0", t)
                .backward(g -> new Tensor[] {squeeze(e, g[0], at)})
                .output(e.view(t, sizes, Layout.inserted(t.strides(), at, step), t.offset()));
    }

    /** {@code squeeze} of all dimensions of size 1. */
    public static Tensor squeeze(Eager e, Tensor t) {
        return Dimensions.squeeze(e, t);
    }

    /** {@code squeeze} of one dimension: a view of the same shape when it is not of size 1. */
    public static Tensor squeeze(Eager e, Tensor t, long dim) {
        int at = Layout.dimension(dim, t.dims());
        boolean single = t.dims() > 0 && t.size(at) == 1;
        long[] sizes = single ? Layout.removed(t.sizes(), at) : t.sizes();
        long[] strides = single ? Layout.removed(t.strides(), at) : t.strides();
        return e.record("SqueezeBackward1", t)
                .backward(g -> new Tensor[] {single ? unsqueeze(e, g[0], at) : g[0]})
                .output(e.view(t, sizes, strides, t.offset()));
    }
}
