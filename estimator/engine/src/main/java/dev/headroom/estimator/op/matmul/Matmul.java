package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Dimensions;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Matrix products (ATen/native/LinearAlgebra.cpp, ATen/native/cuda/Blas.cpp). */
public final class Matmul {
    private Matmul() {}

    private static UserInputException mismatch(Tensor a, Tensor b) {
        return new UserInputException("matrix product of " + Arrays.toString(a.sizes()) + " and "
                + Arrays.toString(b.sizes()) + ": inner sizes differ");
    }

    /**
     * A library call on operands that cuBLAS may have to see as copies (prepare_matrix_for_cublas); none where there is
     * nothing to multiply.
     */
    private static void gemm(EagerRuntime rt, Tensor a, Tensor b, boolean lt) {
        if (a.numel() == 0 || b.numel() == 0) {
            return;
        }
        Tensor ca = BlasOperand.ready(rt, a);
        Tensor cb = BlasOperand.ready(rt, b);
        if (lt) {
            rt.workspaces().useBlasLt();
        } else {
            rt.workspaces().useBlas();
        }
        rt.freeUnless(cb, b);
        rt.freeUnless(ca, a);
    }

    private static boolean columnMajor(Tensor m) {
        return m.stride(0) == 1 && m.stride(1) == m.size(0);
    }

    /** FunctionsManual.cpp, mm_mat1_backward. */
    private static Tensor mat1Backward(EagerRuntime rt, Tensor g, Tensor mat2, boolean mat1ColumnMajor) {
        if (mat1ColumnMajor) {
            return Views.t(rt, mm(rt, mat2, Views.t(rt, g)));
        }
        return mm(rt, g, Views.t(rt, mat2));
    }

    /** FunctionsManual.cpp, mm_mat2_backward. */
    private static Tensor mat2Backward(EagerRuntime rt, Tensor g, Tensor mat1, boolean mat2ColumnMajor) {
        if (mat2ColumnMajor) {
            return Views.t(rt, mm(rt, Views.t(rt, g), mat1));
        }
        return mm(rt, Views.t(rt, mat1), g);
    }

    static Tensor mm(EagerRuntime rt, Tensor a, Tensor b) {
        if (a.dim() != 2 || b.dim() != 2 || a.size(1) != b.size(0)) {
            throw mismatch(a, b);
        }
        Recorder r = rt.record("MmBackward0", a, b);
        Saved sb = r.saveIf(r.needs(0), b);
        Saved sa = r.saveIf(r.needs(1), a);
        Tensor out = rt.empty(a.dtype(), a.size(0), b.size(1));
        gemm(rt, a, b, false);
        boolean ca = columnMajor(a);
        boolean cb = columnMajor(b);
        return r.gradient(1, g -> mat2Backward(rt, g, sa.get(), cb))
                .gradient(0, g -> mat1Backward(rt, g, sb.get(), ca))
                .again()
                .output(out);
    }

    /** {@code addmm}: the bias is copied into the result or added by the library. */
    static Tensor addmm(EagerRuntime rt, Tensor bias, Tensor a, Tensor b) {
        return addmm(rt, bias, a, b, false, false);
    }

    /** maybe_multiply: the product is a temporary where a factor other than 1 was given. */
    private static Tensor scaled(EagerRuntime rt, Tensor t, boolean scale, boolean temporary) {
        if (!scale) {
            return t;
        }
        Tensor out = Pointwise.scaled(rt, t);
        rt.free(temporary ? t : null);
        return out;
    }

    /** @param alpha whether the product, and {@code beta} whether the bias, has a factor */
    static Tensor addmm(EagerRuntime rt, Tensor bias, Tensor a, Tensor b, boolean alpha, boolean beta) {
        if (a.dim() != 2 || b.dim() != 2 || a.size(1) != b.size(0)) {
            throw mismatch(a, b);
        }
        Recorder r = rt.record("AddmmBackward0", bias, a, b);
        Saved sa = r.saveIf(r.needs(2), a);
        Saved sb = r.saveIf(r.needs(1), b);
        Tensor out = rt.empty(a.dtype(), a.size(0), b.size(1));
        gemm(rt, a, b, bias.dim() == 1 && !beta);
        boolean ca = columnMajor(a);
        boolean cb = columnMajor(b);
        return r.gradient(1, g -> scaled(rt, mat1Backward(rt, g, sb.get(), ca), alpha, true))
                .gradient(2, g -> scaled(rt, mat2Backward(rt, g, sa.get(), cb), alpha, true))
                .gradient(0, g -> scaled(rt, g, beta, false))
                .again()
                .output(out);
    }

    /** {@code bmm}; with {@code bias} it is {@code baddbmm}. */
    static Tensor bmm(EagerRuntime rt, @Nullable Tensor bias, Tensor a, Tensor b) {
        return bmm(rt, bias, a, b, false, false);
    }

    static Tensor bmm(EagerRuntime rt, @Nullable Tensor bias, Tensor a, Tensor b, boolean alpha, boolean beta) {
        if (a.dim() != 3 || b.dim() != 3 || a.size(2) != b.size(1) || a.size(0) != b.size(0)) {
            throw mismatch(a, b);
        }
        Recorder r = bias == null ? rt.record("BmmBackward0", a, b) : rt.record("BaddbmmBackward0", a, b, bias);
        // Kept in the order of the arguments' names: mat2 before self, but batch1 before batch2.
        Saved early = r.saveIf(bias == null && r.needs(0), b);
        Saved sa = r.saveIf(r.needs(1), a);
        Saved sb = bias == null ? early : r.saveIf(r.needs(0), b);
        Tensor out = rt.empty(a.dtype(), a.size(0), a.size(1), b.size(2));
        // An outer product is a kernel of PyTorch's own, not the library's (Blas.cpp, bmm_out_cuda).
        if (bias != null || a.size(2) != 1 || !rt.options().torch().multipliesOuterProducts()) {
            gemm(rt, a, b, false);
        }
        UnaryOperator<Tensor> first = g -> bmm(rt, null, g, Views.transpose(rt, sb.get(), 1, 2));
        UnaryOperator<Tensor> second = g -> bmm(rt, null, Views.transpose(rt, sa.get(), 1, 2), g);
        if (bias == null) {
            r.gradient(1, second::apply).gradient(0, first::apply);
        } else {
            r.gradient(0, g -> scaled(rt, first.apply(g), alpha, true))
                    .gradient(1, g -> scaled(rt, second.apply(g), alpha, true))
                    .gradient(2, g -> scaled(rt, g, beta, false));
        }
        return r.again().output(out);
    }

    /** {@code mv}, as a product with a matrix of one column. */
    static Tensor mv(EagerRuntime rt, Tensor m, Tensor v) {
        Recorder r = rt.record("MvBackward0", m, v);
        Saved sm = r.saveIf(r.needs(1), m);
        Saved sv = r.saveIf(r.needs(0), v);
        Tensor out = rt.empty(m.dtype(), m.size(0));
        if (m.numel() > 0) {
            rt.workspaces().useBlas();
        }
        return r.gradient(
                        0,
                        g -> { // grad.ger(vec)
                            return Pointwise.mul(rt, Views.unsqueeze(rt, g, 1), Views.unsqueeze(rt, sv.get(), 0));
                        })
                .gradient(1, g -> mv(rt, Views.t(rt, sm.get()), g))
                .again()
                .output(out);
    }

    static Tensor dot(EagerRuntime rt, String node, Tensor a, Tensor b) {
        Recorder r = rt.record(node, a, b);
        Saved sa = r.saveIf(r.needs(1), a);
        Saved sb = r.saveIf(r.needs(0), b);
        Tensor out = rt.empty(a.dtype());
        rt.workspaces().useBlas();
        return r.gradient(0, g -> Pointwise.mul(rt, g, sb.get()))
                .gradient(1, g -> Pointwise.mul(rt, g, sa.get()))
                .again()
                .output(out);
    }

    /** {@code matmul} (LinearAlgebra.cpp, _matmul_impl). */
    public static Tensor matmul(EagerRuntime rt, Tensor a, Tensor b) {
        if (a.dim() == 0 || b.dim() == 0) {
            throw mismatch(a, b);
        }
        if (a.dim() == 1 && b.dim() == 1) {
            return dot(rt, "DotBackward0", a, b);
        }
        if (a.dim() == 2 && b.dim() == 1) {
            return mv(rt, a, b);
        }
        if (a.dim() == 1 && b.dim() == 2) {
            return Views.squeeze(rt, mm(rt, Views.unsqueeze(rt, a, 0), b), 0);
        }
        if (a.dim() == 2 && b.dim() == 2) {
            return mm(rt, a, b);
        }
        if (shouldFold(a, b, rt.options().torch().foldsPastSingleRows())) {
            return folded(rt, a, b);
        }
        // A batch of one that would be broadcast is a matrix, so that its gradient needs no sum over the batch.
        boolean broadcasts = a.dim() == 3 && b.dim() == 3 && a.size(0) != b.size(0);
        if (broadcasts && a.size(0) == 1 && a.requiresGrad()) {
            return matmulOf(rt, Views.squeeze(rt, a, 0), b, true);
        }
        if (broadcasts && b.size(0) == 1 && b.requiresGrad()) {
            return matmulOf(rt, a, Views.squeeze(rt, b, 0), false);
        }
        return batched(rt, a, b);
    }

    private static Tensor matmulOf(EagerRuntime rt, Tensor a, Tensor b, boolean firstIsView) {
        Tensor out = matmul(rt, a, b);
        rt.free(firstIsView ? a : b);
        return out;
    }

    /**
     * LinearAlgebra.cpp, should_fold: whether one batched operand times a matrix is one large product.
     *
     * @param anyOfOne whether strides of dimensions of size 1 do not matter
     */
    private static boolean shouldFold(Tensor a, Tensor b, boolean anyOfOne) {
        boolean firstLarger = a.dim() >= b.dim();
        Tensor large = firstLarger ? a : b;
        Tensor small = firstLarger ? b : a;
        if (large.dim() < 3 || small.dim() > 2) {
            return false;
        }
        if (small.requiresGradAsView()) {
            return true;
        }
        if (a.dim() == 2) {
            return false;
        }
        if (large.numel() == 0) {
            return true;
        }
        long[] sizes = large.sizes().clone();
        long[] strides = large.strides().clone();
        int n = sizes.length;
        if (!firstLarger) { // looked at as its mT()
            sizes[n - 1] = large.size(n - 2);
            sizes[n - 2] = large.size(n - 1);
            strides[n - 1] = large.stride(n - 2);
            strides[n - 2] = large.stride(n - 1);
        }
        int inner = -1;
        for (int i = n - 2; i >= 0; i--) {
            if (anyOfOne && sizes[i] == 1) {
                continue;
            }
            if (inner >= 0 && strides[i] != strides[inner] * sizes[inner]) {
                return false;
            }
            inner = i;
        }
        return true;
    }

    private static Tensor folded(EagerRuntime rt, Tensor a, Tensor b) {
        boolean swap = a.dim() < b.dim();
        Tensor t1 = swap ? Views.transpose(rt, b, -2, -1) : a;
        Tensor t2 = swap ? (a.dim() == 2 ? Views.t(rt, a) : a) : b;
        long[] sizes = t1.sizes();
        long[] out = t2.dim() == 2 ? sizes.clone() : Arrays.copyOf(sizes, sizes.length - 1);
        if (t2.dim() == 2) {
            out[out.length - 1] = t2.size(1);
        }
        long last = sizes[sizes.length - 1];
        Tensor flat = Views.reshape(rt, t1, last == 0 ? 0 : t1.numel() / last, last);
        Tensor product = t2.dim() == 2 ? mm(rt, flat, t2) : mv(rt, flat, t2);
        Tensor result = Views.unsafeView(rt, product, out);
        rt.free(product);
        rt.free(flat);
        if (swap && t2.dim() == 2) {
            Tensor turned = Views.transpose(rt, result, -2, -1);
            Tensor copy = Copies.contiguous(rt, turned);
            if (copy != turned) {
                rt.free(turned);
                rt.free(result);
            }
            return copy;
        }
        return result;
    }

    private static Tensor batched(EagerRuntime rt, Tensor a, Tensor b) {
        long n = a.dim() > 1 ? a.size(-2) : 1;
        long m1 = a.size(-1);
        long m2 = b.dim() > 1 ? b.size(-2) : b.size(-1);
        long p = b.dim() > 1 ? b.size(-1) : 1;
        long[] batchA = Arrays.copyOf(a.sizes(), Math.max(a.dim() - 2, 0));
        long[] batchB = Arrays.copyOf(b.sizes(), Math.max(b.dim() - 2, 0));
        long[] batch = dev.headroom.model.graph.Shapes.broadcast(batchA, batchB);
        long count = dev.headroom.model.graph.Shapes.numel(batch);
        Tensor wa = a.dim() == 1 ? Views.unsqueeze(rt, a, 0) : a;
        Tensor wb = b.dim() == 1 ? Views.unsqueeze(rt, b, 1) : b;
        Tensor ea = Views.reshape(rt, Views.expand(rt, wa, Dimensions.append(batch, n, m1)), count, n, m1);
        Tensor eb = Views.reshape(rt, Views.expand(rt, wb, Dimensions.append(batch, m2, p)), count, m2, p);
        long[] out = batch;
        if (a.dim() > 1) {
            out = Dimensions.append(out, n);
        }
        if (b.dim() > 1) {
            out = Dimensions.append(out, p);
        }
        Tensor product = bmm(rt, null, ea, eb);
        Tensor result = Views.unsafeView(rt, product, out);
        rt.free(product);
        return result;
    }

    /** {@code linear} (ATen/native/Linear.cpp). */
    public static Tensor linear(EagerRuntime rt, Tensor input, Tensor weight, @Nullable Tensor bias) {
        if (bias != null && input.isContiguous() && rt.options().torch().flattensLinear(input.dim(), bias.dim())) {
            return flattened(rt, input, weight, bias);
        }
        Tensor turned = Views.t(rt, weight);
        if (bias != null && input.dim() == 1) {
            Tensor row = Views.unsqueeze(rt, input, 0);
            Tensor product = addmm(rt, bias, row, turned);
            Tensor out = Views.squeeze(rt, product, 0);
            rt.free(product);
            rt.free(row);
            return out;
        }
        if (bias != null && input.dim() == 2) {
            return addmm(rt, bias, input, turned);
        }
        Tensor out = matmul(rt, input, turned);
        if (bias != null) {
            Pointwise.addInPlace(rt, out, bias, false);
        }
        return out;
    }

    /** {@code _flatten_nd_linear}: the input is viewed first, which decides the order of the backward pass. */
    private static Tensor flattened(EagerRuntime rt, Tensor input, Tensor weight, Tensor bias) {
        long[] sizes = input.sizes().clone();
        long last = sizes[sizes.length - 1];
        Tensor flat = Views.reshape(rt, input, last == 0 ? 0 : input.numel() / last, last);
        Tensor product = addmm(rt, bias, flat, Views.t(rt, weight));
        sizes[sizes.length - 1] = product.size(1);
        Tensor out = Views.view(rt, product, sizes);
        rt.free(product);
        rt.free(flat);
        return out;
    }
}
