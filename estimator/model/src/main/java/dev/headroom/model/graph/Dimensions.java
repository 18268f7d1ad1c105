package dev.headroom.model.graph;

import java.util.Arrays;

/** Sizes and strides of tensors with other dimensions. */
public final class Dimensions {
    private Dimensions() {}

    /** With one more. */
    public static long[] with(long[] values, int at, long value) {
        long[] out = new long[values.length + 1];
        System.arraycopy(values, 0, out, 0, at);
        out[at] = value;
        System.arraycopy(values, at, out, at + 1, values.length - at);
        return out;
    }

    /** Without one of them. */
    public static long[] without(long[] values, int at) {
        long[] out = new long[values.length - 1];
        System.arraycopy(values, 0, out, 0, at);
        System.arraycopy(values, at + 1, out, at, out.length - at);
        return out;
    }

    /** Followed by others. */
    public static long[] append(long[] values, long... more) {
        long[] out = Arrays.copyOf(values, values.length + more.length);
        System.arraycopy(more, 0, out, values.length, more.length);
        return out;
    }

    /** Sizes where one becomes several, of which one may be -1 ({@code unflatten}). */
    public static long[] unflattened(long[] sizes, int at, long[] parts) {
        long[] inner = Shapes.inferSize(parts, sizes[at]);
        long[] out = new long[sizes.length + inner.length - 1];
        System.arraycopy(sizes, 0, out, 0, at);
        System.arraycopy(inner, 0, out, at, inner.length);
        System.arraycopy(sizes, at + 1, out, at + inner.length, sizes.length - at - 1);
        return out;
    }
}
