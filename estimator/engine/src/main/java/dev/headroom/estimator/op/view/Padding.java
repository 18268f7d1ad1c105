package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;

/** Padding (ATen/native/PadNd.cpp, ReflectionPad.cu, ReplicationPadding.cu). */
public final class Padding {
    private Padding() {}

    /** {@code pad} with a constant: the pairs count from the last dimension. */
    public static Tensor pad(EagerRuntime rt, Tensor t, long... by) {
        return constant(rt, t, sizes(t, by));
    }

    static long[] sizes(Call c) {
        return sizes(c.tensor("self"), c.integers("pad"));
    }

    static long[] sizes(Tensor t, long... by) {
        long[] sizes = t.sizes().clone();
        for (int i = 0; i < by.length / 2; i++) {
            sizes[t.dim() - 1 - i] += by[2 * i] + by[2 * i + 1];
        }
        return sizes;
    }

    static Tensor pad(Call c) {
        Tensor t = c.tensor("self");
        return switch (c.text("mode", "constant")) {
            case "constant" -> constant(c.runtime(), t, sizes(c));
            case "circular" -> circular(c, t);
            case "reflect" -> mirrored(c.runtime(), "Reflection", t, c.integers("pad"));
            default -> mirrored(c.runtime(), "Replication", t, c.integers("pad"));
        };
    }

    /** {@code constant_pad_nd}: the result keeps the suggested layout; its gradient is cut out and copied. */
    public static Tensor constant(EagerRuntime rt, Tensor t, long[] sizes) {
        Recorder r = rt.record("ConstantPadNdBackward0", t);
        Tensor out = java.util.Arrays.equals(sizes, t.sizes())
                ? rt.emptyLike(t)
                : rt.emptyStrided(
                        t.dtype(),
                        sizes,
                        Copies.suggestsChannelsLast(t) ? Shapes.channelsLast(sizes) : Shapes.contiguous(sizes));
        long[] original = t.sizes();
        return r.gradient(0, g -> {
                    // Narrowed to the part that was there, then cloned: the clone keeps the order of dimensions.
                    return rt.emptyStrided(g.dtype(), original, Shapes.preserved(original, g.strides()));
                })
                .output(out);
    }

    /** {@code reflection_pad1d}, {@code replication_pad2d} and so on, by their own names. */
    static Tensor mirrored(Call c, String kind) {
        Tensor t = c.tensor("self");
        return mirrored(c.runtime(), kind, t, c.integers("padding"));
    }

    /**
     * Kernels of their own, forward and backward. Reflection reads dense memory, made when the result is there, but for
     * the gradient of volumes; replication reads what there is.
     */
    private static Tensor mirrored(EagerRuntime rt, String kind, Tensor t, long[] by) {
        boolean dense = kind.equals("Reflection");
        boolean volumes = by.length == 6;
        Recorder r = rt.record(kind + "PadBackward0", t);
        Saved self = r.save(t);
        Tensor out = rt.empty(t.dtype(), sizes(t, by));
        read(rt, t, dense);
        return r.gradient(0, g -> {
                    Tensor in = rt.empty(g.dtype(), self.get().sizes());
                    read(rt, g, dense && !volumes);
                    return in;
                })
                .output(out);
    }

    private static void read(EagerRuntime rt, Tensor t, boolean dense) {
        if (dense) {
            rt.freeUnless(Copies.contiguous(rt, t), t);
        }
    }

    /** {@code _pad_circular}: an empty result; the middle, then the borders of each dimension are copied into it. */
    private static Tensor circular(Call c, Tensor t) {
        EagerRuntime rt = c.runtime();
        long[] by = c.integers("pad");
        Tensor out = rt.empty(t.dtype(), sizes(c));
        Tensor to = out;
        Tensor from = t;
        for (int i = 0; i < by.length / 2; i++) {
            int d = t.dim() - 1 - i;
            to = Views.slice(rt, to, d, Math.max(by[2 * i], 0), out.size(d) - Math.max(by[2 * i + 1], 0), 1);
            from = Views.slice(rt, from, d, Math.max(-by[2 * i], 0), t.size(d) - Math.max(-by[2 * i + 1], 0), 1);
        }
        Copies.copyInto(rt, to, from);
        for (int i = 0; i < by.length / 2; i++) {
            int d = t.dim() - 1 - i;
            long left = by[2 * i];
            long right = by[2 * i + 1];
            long size = out.size(d);
            if (left > 0) {
                long end = size - Math.max(right, 0);
                Tensor border = Views.slice(rt, out, d, 0, left, 1);
                Copies.copyInto(rt, border, Views.slice(rt, out, d, end - left, end, 1));
            }
            if (right > 0) {
                long start = Math.max(left, 0);
                Tensor border = Views.slice(rt, out, d, size - right, size, 1);
                Copies.copyInto(rt, border, Views.slice(rt, out, d, start, start + right, 1));
            }
        }
        return out;
    }
}
