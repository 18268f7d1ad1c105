package dev.headroom.executor.op.matrix;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code matmul} and {@code linear}, which end in products of matrices (aten/src/ATen/native/LinearAlgebra.cpp,
 * Linear.cpp).
 */
public final class Matmul {
    private Matmul() {}

    /** {@code linear}. */
    public static Tensor linear(Eager e, Tensor x, Tensor weight, @Nullable Tensor bias) {
        return e.call(() -> {
            if (bias != null && x.dims() == 2) {
                return Products.addmm(e, bias, x, Views.t(e, weight), 1, 1);
            }
            if (bias != null && x.isContiguous()) {
                return flattened(e, x, weight, bias);
            }
            Tensor out = matmul(e, x, Views.t(e, weight));
            return bias == null ? out : addInPlace(e, out, bias);
        });
    }

    /** _flatten_nd_linear: one product over all leading dimensions, to which the library adds the bias. */
    private static Tensor flattened(Eager e, Tensor x, Tensor weight, Tensor bias) {
        Tensor rows = Views.reshape(e, x, -1, x.size(-1));
        Tensor out = Products.addmm(e, bias, rows, Views.t(e, weight), 1, 1);
        return Views.view(e, out, ending(x.sizes(), x.dims() - 1, out.size(1)));
    }

    /** {@code out.add_(other)} of what an operator has made itself. */
    public static Tensor addInPlace(Eager e, Tensor out, Tensor other) {
        var r = e.record("AddBackward0", out, other);
        Elementwise.into(e, Elementwise.ADD, out, out, other);
        r.backward(g -> new Tensor[] {g[0], g[0]});
        return r.changed(out);
    }

    /** {@code matmul}. */
    public static Tensor matmul(Eager e, Tensor a, Tensor b) {
        return e.call(() -> {
            if (a.dims() == 1 && b.dims() == 1) {
                return Products.dot(e, "DotBackward0", a, b);
            }
            if (a.dims() == 2 && b.dims() == 1) {
                return Products.mv(e, a, b);
            }
            if (a.dims() == 1 && b.dims() == 2) {
                return Views.squeeze(e, Products.mm(e, Views.unsqueeze(e, a, 0), b), 0);
            }
            if (a.dims() == 2 && b.dims() == 2) {
                return Products.mm(e, a, b);
            }
            return folds(a, b) ? folded(e, a, b) : batched(e, a, b);
        });
    }

    /** should_fold: whether the leading dimensions of the larger operand become rows of one matrix. */
    private static boolean folds(Tensor a, Tensor b) {
        boolean firstLarger = a.dims() >= b.dims();
        Tensor larger = firstLarger ? a : b;
        Tensor smaller = firstLarger ? b : a;
        if (larger.dims() < 3 || smaller.dims() > 2) {
            return false;
        }
        // A view that was made while nothing is recorded answers as its base (autograd/variable.h, ViewInfo).
        boolean trained = smaller.requiresGrad()
                || smaller.base() != null && smaller.base().requiresGrad();
        if (trained) {
            return true; // else the backward pass would make a large tensor to sum
        }
        if (a.dims() == 2) {
            return false;
        }
        if (larger.elements() == 0) {
            return true;
        }
        int n = larger.dims();
        long[] sizes = larger.sizes().clone();
        long[] strides = larger.strides().clone();
        if (!firstLarger) {
            swap(sizes);
            swap(strides);
        }
        int within = n - 2;
        for (int i = n - 2; i >= 0; i--) {
            if (sizes[i] == 1) {
                continue; // whatever its stride
            }
            if (sizes[within] != 1 && i != within && strides[i] != strides[within] * sizes[within]) {
                return false;
            }
            within = i;
        }
        return true;
    }

    private static void swap(long[] values) {
        int n = values.length;
        long last = values[n - 1];
        values[n - 1] = values[n - 2];
        values[n - 2] = last;
    }

    private static Tensor folded(Eager e, Tensor a, Tensor b) {
        boolean turned = b.dims() > a.dims();
        Tensor larger = turned ? Views.transpose(e, b, -2, -1) : a;
        Tensor smaller = !turned ? b : a.dims() == 2 ? Views.t(e, a) : a;
        Tensor rows = Views.reshape(e, larger, -1, larger.size(-1));
        if (smaller.dims() == 1) {
            return Views.unsafeView(e, Products.mv(e, rows, smaller), Arrays.copyOf(larger.sizes(), larger.dims() - 1));
        }
        Tensor out = Views.unsafeView(
                e, Products.mm(e, rows, smaller), ending(larger.sizes(), larger.dims() - 1, smaller.size(1)));
        return turned ? Copies.contiguous(e, Views.transpose(e, out, -2, -1)) : out;
    }

    private static Tensor batched(Eager e, Tensor a, Tensor b) {
        if (a.dims() == 3 && b.dims() == 3 && a.size(0) != b.size(0)) {
            if (a.size(0) == 1 && a.requiresGrad()) {
                return matmul(e, Views.squeeze(e, a, 0), b);
            }
            if (b.size(0) == 1 && b.requiresGrad()) {
                return matmul(e, a, Views.squeeze(e, b, 0));
            }
        }
        boolean row = a.dims() == 1;
        boolean column = b.dims() == 1;
        long[] batch = Layout.broadcast(leading(a), leading(b));
        long batches = Layout.elements(batch);
        long n = row ? 1 : a.size(-2);
        long k = a.size(-1);
        long p = column ? 1 : b.size(-1);
        Tensor first = Views.reshape(e, Views.expand(e, a, ending(batch, batch.length, n, k)), batches, n, k);
        Tensor second = column
                ? Views.unsqueeze(
                        e, Views.reshape(e, Views.expand(e, b, ending(batch, batch.length, k)), batches, k), 2)
                : Views.reshape(e, Views.expand(e, b, ending(batch, batch.length, k, p)), batches, k, p);
        Tensor out = Products.bmm(e, first, second);
        if (column) {
            out = Views.squeeze(e, out, -1);
        }
        long[] sizes = row ? batch : ending(batch, batch.length, n);
        return Views.unsafeView(e, out, column ? sizes : ending(sizes, sizes.length, p));
    }

    private static long[] leading(Tensor t) {
        return Arrays.copyOf(t.sizes(), Math.max(0, t.dims() - 2));
    }

    /** The first {@code n} sizes followed by others. */
    private static long[] ending(long[] sizes, int n, long... last) {
        long[] out = Arrays.copyOf(sizes, n + last.length);
        System.arraycopy(last, 0, out, n, last.length);
        return out;
    }
}
