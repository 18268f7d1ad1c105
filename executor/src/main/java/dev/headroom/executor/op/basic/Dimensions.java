package dev.headroom.executor.op.basic;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Views that reorder, cut or drop whole dimensions. */
public final class Dimensions {
    private Dimensions() {}

    /** {@code permute}. */
    public static Tensor permute(Eager e, Tensor t, long... order) {
        int[] from = Arrays.stream(order)
                .mapToInt(d -> Layout.dimension(d, t.dims()))
                .toArray();
        long[] sizes = Arrays.stream(from).mapToLong(d -> t.sizes()[d]).toArray();
        long[] strides = Arrays.stream(from).mapToLong(d -> t.strides()[d]).toArray();
        long[] back = new long[from.length];
        for (int i = 0; i < from.length; i++) {
            back[from[i]] = i;
        }
        return e.record("PermuteBackward0", t)
                .backward(g -> new Tensor[] {permute(e, g[0], back)})
                .output(e.view(t, sizes, strides, t.offset()));
    }

    /** {@code movedim}. */
    public static Tensor move(Eager e, Tensor t, long[] source, long[] destination) {
        long[] order = new long[t.dims()];
        Arrays.fill(order, -1);
        boolean[] moved = new boolean[t.dims()];
        for (int i = 0; i < source.length; i++) {
            int from = Layout.dimension(source[i], t.dims());
            order[Layout.dimension(destination[i], t.dims())] = from;
            moved[from] = true;
        }
        int next = 0;
        for (int i = 0; i < order.length; i++) {
            if (order[i] < 0) {
                while (moved[next]) {
                    next++;
                }
                order[i] = next++;
            }
        }
        return permute(e, t, order);
    }

    /** {@code unflatten}: one dimension becomes several. */
    public static Tensor unflatten(Eager e, Tensor t, long dim, long[] parts) {
        int at = Layout.dimension(dim, t.dims());
        long[] inner = Layout.inferred(parts, t.size(at));
        long[] sizes = new long[t.dims() - 1 + inner.length];
        System.arraycopy(t.sizes(), 0, sizes, 0, at);
        System.arraycopy(inner, 0, sizes, at, inner.length);
        System.arraycopy(t.sizes(), at + 1, sizes, at + inner.length, t.dims() - at - 1);
        return Views.view(e, t, sizes);
    }

    /** {@code squeeze} of several dimensions, or without {@code dims} of all: those of size 1 go. */
    public static Tensor squeeze(Eager e, Tensor t, long... dims) {
        boolean[] asked = new boolean[t.dims()];
        Arrays.fill(asked, dims.length == 0);
        for (long d : dims) {
            asked[Layout.dimension(d, t.dims())] = true;
        }
        int[] kept = IntStream.range(0, t.dims())
                .filter(d -> !asked[d] || t.sizes()[d] != 1)
                .toArray();
        long[] before = t.sizes();
        return e.record(dims.length == 0 ? "SqueezeBackward0" : "SqueezeBackward2", t)
                .backward(g -> new Tensor[] {Views.reshape(e, g[0], before)})
                .output(e.view(
                        t,
                        IntStream.of(kept).mapToLong(d -> t.sizes()[d]).toArray(),
                        IntStream.of(kept).mapToLong(d -> t.strides()[d]).toArray(),
                        t.offset()));
    }
}
