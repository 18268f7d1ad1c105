package dev.headroom.executor.op.matrix;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * {@code bilinear}: {@code _trilinear}, which goes over the features of the result one by one, and the bias
 * (aten/src/ATen/native/Linear.cpp).
 */
final class Bilinear {
    private final Eager e;

    private Bilinear(Eager e) {
        this.e = e;
    }

    static Tensor apply(Eager e, Arguments a) {
        Tensor first = a.tensor("input1");
        Tensor second = a.tensor("input2");
        Tensor weight = a.tensor("weight");
        Tensor bias = a.optional("bias");
        return e.call(() -> {
            Tensor x = Views.reshape(e, first, -1, first.size(-1));
            Tensor y = Views.reshape(e, second, -1, second.size(-1));
            Tensor flat = new Bilinear(e).recorded(x, weight, y);
            long[] sizes = first.sizes().clone();
            sizes[sizes.length - 1] = weight.size(0);
            Tensor out = Views.reshape(e, flat, sizes);
            return bias == null ? out : sum(e, out, bias);
        });
    }

    private static Tensor sum(Eager e, Tensor out, Tensor bias) {
        Recorder r = e.record("AddBackward0", out, bias);
        return r.backward(g -> new Tensor[] {r.needs(0) ? g[0] : null, r.needs(1) ? g[0] : null})
                .output(Elementwise.binary(e, Elementwise.ADD, out, bias));
    }

    private Tensor recorded(Tensor x, Tensor weight, Tensor y) {
        Recorder r = e.record("TrilinearBackward0", x, weight, y);
        SavedTensor savedX = r.save(x);
        SavedTensor savedWeight = r.save(weight);
        SavedTensor savedY = r.save(y);
        long rows = x.size(0);
        Tensor out = e.empty(x.dtype(), rows, weight.size(0));
        for (long k = 0; k < weight.size(0); k++) {
            try (Scope s = e.open()) {
                Tensor inner = e.empty(x.dtype(), rows, y.size(1));
                multiply(inner, Copies.packed(e, x), entry(weight, k));
                Tensor part = e.empty(x.dtype(), rows, 1);
                multiply(shaped(part, rows, 1, 1), shaped(inner, rows, 1, y.size(1)), column(y));
                Copies.fill(e, feature(out, k), part);
            }
        }
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? ofFirst(g[0], savedX.get(), savedWeight.get(), savedY.get()) : null,
                    r.needs(1) ? ofWeight(g[0], savedX.get(), savedWeight.get(), savedY.get()) : null,
                    r.needs(2) ? ofSecond(g[0], savedX.get(), savedWeight.get(), savedY.get()) : null
                })
                .output(out);
    }

    private @Nullable Tensor ofFirst(Tensor g, Tensor x, Tensor weight, Tensor y) {
        Tensor out = zeros(x);
        for (long k = 0; k < weight.size(0); k++) {
            try (Scope s = e.open()) {
                long[] sizes = {x.size(0), weight.size(1), weight.size(2)};
                Tensor inner = e.empty(x.dtype(), sizes);
                Tensor scales = feature(g, k);
                Tensor broad =
                        e.alias(scales, new long[] {sizes[0], 1, 1}, new long[] {g.stride(0), 0, 0}, scales.offset());
                Elementwise.into(e, Elementwise.MULTIPLY, inner, broad, entry(weight, k));
                Tensor part = e.empty(x.dtype(), x.sizes());
                multiply(shaped(part, sizes[0], sizes[1], 1), inner, column(y));
                Elementwise.into(e, Elementwise.ADD, out, out, part);
            }
        }
        return out;
    }

    private @Nullable Tensor ofSecond(Tensor g, Tensor x, Tensor weight, Tensor y) {
        Tensor out = zeros(y);
        for (long k = 0; k < weight.size(0); k++) {
            try (Scope s = e.open()) {
                Tensor inner = e.empty(y.dtype(), y.sizes());
                multiply(inner, Copies.packed(e, x), entry(weight, k));
                Tensor part = e.empty(y.dtype(), y.sizes());
                Elementwise.into(e, Elementwise.MULTIPLY, part, inner, feature(g, k));
                Elementwise.into(e, Elementwise.ADD, out, out, part);
            }
        }
        return out;
    }

    private @Nullable Tensor ofWeight(Tensor g, Tensor x, Tensor weight, Tensor y) {
        Tensor out = e.empty(weight.dtype(), weight.sizes());
        for (long k = 0; k < weight.size(0); k++) {
            try (Scope s = e.open()) {
                Tensor inner = e.empty(x.dtype(), x.sizes());
                Elementwise.into(e, Elementwise.MULTIPLY, inner, x, feature(g, k));
                Tensor part = e.empty(x.dtype(), weight.size(1), weight.size(2));
                Tensor turned =
                        e.alias(inner, new long[] {x.size(1), x.size(0)}, new long[] {1, x.size(1)}, inner.offset());
                multiply(part, turned, Copies.packed(e, y));
                Copies.fill(e, entry(out, k), part);
            }
        }
        return out;
    }

    private Tensor zeros(Tensor like) {
        Tensor out = e.empty(like.dtype(), like.sizes());
        Elementwise.fill(e, out, 0);
        return out;
    }

    private void multiply(Tensor out, Tensor a, Tensor b) {
        if (out.elements() > 0) {
            e.backend().matrices().multiply(out, a, b, 1, 0, e.blasWorkspaces().current());
        }
    }

    /** The matrix of a feature. */
    private Tensor entry(Tensor weight, long k) {
        long[] sizes = {weight.size(1), weight.size(2)};
        return e.alias(
                weight, sizes, new long[] {weight.stride(1), weight.stride(2)}, weight.offset() + k * weight.stride(0));
    }

    /** A feature's column. */
    private Tensor feature(Tensor t, long k) {
        return e.alias(t, new long[] {t.size(0), 1}, t.strides(), t.offset() + k * t.stride(1));
    }

    private Tensor column(Tensor y) {
        Tensor dense = Copies.packed(e, y);
        return shaped(dense, y.size(0), y.size(1), 1);
    }

    private Tensor shaped(Tensor t, long... sizes) {
        return e.alias(t, sizes, Layout.contiguous(sizes), t.offset());
    }
}
