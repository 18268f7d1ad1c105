package dev.headroom.executor.op.shape;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.Objects;

/** Copies with elements elsewhere: {@code roll}, {@code repeat}, {@code tril} and {@code triu}. */
public final class RearrangingOperators {
    private RearrangingOperators() {}

    public static void register(Operators o) {
        o.add1("aten.roll", (e, a) -> roll(e, a.tensor("self"), a.integers("shifts"), a.integers("dims")));
        o.add1("aten.repeat", (e, a) -> repeat(e, a.tensor("self"), a.integers("repeats")));
        o.add1("aten.tril", (e, a) -> triangle(e, a.tensor("self"), a.integer("diagonal", 0), false));
        o.add1("aten.triu", (e, a) -> triangle(e, a.tensor("self"), a.integer("diagonal", 0), true));
    }

    /** {@code roll} (cuda/TensorTransformations.cu): a copy for each dimension. */
    static Tensor roll(Eager e, Tensor t, long[] shifts, long[] dims) {
        var r = e.record("RollBackward0", t);
        long[] back = Arrays.stream(shifts).map(s -> -s).toArray();
        Tensor out = e.call(() -> {
            if (dims.length == 0) {
                Tensor flat = Copies.packed(e, t);
                Tensor line = e.alias(flat, new long[] {t.elements()}, new long[] {1}, flat.offset());
                Tensor rolled = rolled(e, line, shifts[0], 0);
                return e.alias(rolled, t.sizes(), Layout.contiguous(t.sizes()), 0);
            }
            Tensor done = t;
            for (int i = 0; i < dims.length; i++) {
                Tensor next = rolled(e, done, shifts[i], Layout.dimension(dims[i], t.dims()));
                e.freeUnless(done, t);
                done = next;
            }
            return done;
        });
        return r.backward(g -> new Tensor[] {roll(e, g[0], back, dims)}).output(out);
    }

    private static Tensor rolled(Eager e, Tensor t, long shift, int dim) {
        Tensor from = Copies.packed(e, t);
        Tensor out = e.empty(t.dtype(), t.sizes());
        long n = t.size(dim);
        long ahead = n == 0 ? 0 : Math.floorMod(shift, n);
        try (Scope s = e.open()) {
            move(e, part(e, out, dim, ahead, n - ahead), part(e, from, dim, 0, n - ahead));
            move(e, part(e, out, dim, 0, ahead), part(e, from, dim, n - ahead, ahead));
        }
        e.freeUnless(from, t);
        return out;
    }

    private static void move(Eager e, Tensor to, Tensor from) {
        if (to.elements() > 0) {
            Copies.fill(e, to, from);
        }
    }

    private static Tensor part(Eager e, Tensor t, int dim, long start, long count) {
        long[] sizes = t.sizes().clone();
        sizes[dim] = count;
        return e.alias(t, sizes, t.strides(), t.offset() + start * t.stride(dim));
    }

    /** {@code repeat}: the whole, so often along each dimension. */
    static Tensor repeat(Eager e, Tensor t, long[] repeats) {
        int shift = repeats.length - t.dims();
        long[] sizes = new long[repeats.length];
        long[] apart = new long[2 * repeats.length];
        long[] once = new long[2 * repeats.length];
        for (int d = 0; d < repeats.length; d++) {
            long size = d < shift ? 1 : t.size(d - shift);
            sizes[d] = size * repeats[d];
            apart[2 * d] = repeats[d];
            apart[2 * d + 1] = size;
            once[2 * d] = 1;
            once[2 * d + 1] = size;
        }
        var r = e.record("RepeatBackward0", t);
        Tensor out = e.empty(t.dtype(), sizes);
        if (out.elements() > 0) {
            try (Scope s = e.open()) {
                long[] strides = Objects.requireNonNull(Layout.viewed(out.sizes(), out.strides(), apart), "a view");
                Tensor spread = e.alias(out, apart, strides, 0);
                long[] steps = new long[once.length];
                for (int d = shift; d < repeats.length; d++) {
                    steps[2 * d + 1] = t.stride(d - shift);
                }
                Copies.fill(e, spread, e.alias(t, once, steps, t.offset()));
            }
        }
        long[] before = t.sizes();
        return r.backward(g -> {
                    Tensor whole = Views.reshape(e, g[0], apart);
                    Tensor sum = Arrays.equals(apart, once) ? whole : Reductions.sum(e, whole, once, g[0].dtype());
                    return new Tensor[] {Views.reshape(e, sum, before)};
                })
                .output(out);
    }

    private static Tensor triangle(Eager e, Tensor t, long diagonal, boolean upper) {
        var r = e.record(upper ? "TriuBackward0" : "TrilBackward0", t);
        Tensor out = e.empty(t.dtype(), t.sizes());
        e.backend().indexing().triangle(out, t, diagonal, upper);
        return r.backward(g -> new Tensor[] {triangle(e, g[0], diagonal, upper)})
                .output(out);
    }
}
