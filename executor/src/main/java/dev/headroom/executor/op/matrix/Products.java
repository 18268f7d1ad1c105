package dev.headroom.executor.op.matrix;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.MemoryFormat;

/**
 * Products of matrices (aten/src/ATen/native/cuda/Blas.cpp; derivatives.yaml: mm, addmm, bmm, baddbmm, mv, dot).
 * Gradients are computed in the alphabetical order of the operands' names, as generated code does.
 */
public final class Products {
    private Products() {}

    /** {@code mm}. */
    static Tensor mm(Eager e, Tensor a, Tensor b) {
        Recorder r = e.record("MmBackward0", a, b);
        SavedTensor first = r.saveIf(r.needs(1), a);
        SavedTensor second = r.saveIf(r.needs(0), b);
        Tensor out = product(e, a, b);
        boolean firstTurned = columnMajor(a);
        boolean secondTurned = columnMajor(b);
        return r.backward(g -> {
                    Tensor gb = r.needs(1) ? secondGradient(e, g[0], first.get(), secondTurned) : null;
                    Tensor ga = r.needs(0) ? firstGradient(e, g[0], second.get(), firstTurned) : null;
                    return new Tensor[] {ga, gb};
                })
                .output(out);
    }

    private static boolean columnMajor(Tensor t) {
        return t.stride(0) == 1 && t.stride(1) == t.size(0);
    }

    /** FunctionsManual.cpp, mm_mat1_grad: a gradient has its operand's layout. */
    private static Tensor firstGradient(Eager e, Tensor g, Tensor b, boolean turned) {
        return turned ? Views.t(e, mm(e, b, Views.t(e, g))) : mm(e, g, Views.t(e, b));
    }

    /** FunctionsManual.cpp, mm_mat2_grad. */
    private static Tensor secondGradient(Eager e, Tensor g, Tensor a, boolean turned) {
        return turned ? Views.t(e, mm(e, Views.t(e, g), a)) : mm(e, Views.t(e, a), g);
    }

    private static Tensor product(Eager e, Tensor a, Tensor b) {
        Tensor out = e.empty(a.dtype(), a.size(0), b.size(1));
        multiply(e, out, a, b, 1, 0);
        return out;
    }

    /**
     * {@code addmm}: the bias, given as a row, is added by the library; anything else is copied into the result
     * before.
     */
    static Tensor addmm(Eager e, Tensor bias, Tensor a, Tensor b, double beta, double alpha) {
        Recorder r = e.record("AddmmBackward0", bias, a, b);
        SavedTensor first = r.saveIf(r.needs(2), a);
        SavedTensor second = r.saveIf(r.needs(1), b);
        Tensor out = e.empty(a.dtype(), a.size(0), b.size(1));
        if (beta != 0) {
            Copies.fill(e, out, bias);
        }
        multiply(e, out, a, b, alpha, beta);
        boolean firstTurned = columnMajor(a);
        boolean secondTurned = columnMajor(b);
        return r.backward(g -> {
                    // Unpacked before anything is computed, and so held until all is.
                    Tensor mat1 = first.getOrNull();
                    Tensor mat2 = second.getOrNull();
                    Tensor ga = mat2 == null
                            ? null
                            : e.call(() -> Scaling.maybeTimes(e, firstGradient(e, g[0], mat2, firstTurned), alpha));
                    Tensor gb = mat1 == null
                            ? null
                            : e.call(() -> Scaling.maybeTimes(e, secondGradient(e, g[0], mat1, secondTurned), alpha));
                    return new Tensor[] {r.needs(0) ? Scaling.maybeTimes(e, g[0], beta) : null, ga, gb};
                })
                .output(out);
    }

    /** {@code bmm}. */
    static Tensor bmm(Eager e, Tensor a, Tensor b) {
        Recorder r = e.record("BmmBackward0", a, b);
        // Let go of in the alphabetical order of their names: mat2, self.
        SavedTensor second = r.saveIf(r.needs(0), b);
        SavedTensor first = r.saveIf(r.needs(1), a);
        Tensor out = e.empty(a.dtype(), a.size(0), a.size(1), b.size(2));
        if (a.size(2) == 1) {
            // A product of columns and rows is no work for cuBLAS.
            Elementwise.into(e, Elementwise.MULTIPLY, out, a, b);
        } else {
            multiplyBatches(e, out, a, b, 1, 0);
        }
        return r.backward(g -> {
                    Tensor gb = r.needs(1) ? bmm(e, Views.transpose(e, first.get(), 1, 2), g[0]) : null;
                    Tensor ga = r.needs(0) ? bmm(e, g[0], Views.transpose(e, second.get(), 1, 2)) : null;
                    return new Tensor[] {ga, gb};
                })
                .output(out);
    }

    /** {@code baddbmm}. */
    static Tensor baddbmm(Eager e, Tensor added, Tensor a, Tensor b, double beta, double alpha) {
        Recorder r = e.record("BaddbmmBackward0", added, a, b);
        SavedTensor first = r.saveIf(r.needs(2), a);
        SavedTensor second = r.saveIf(r.needs(1), b);
        Tensor out = e.empty(a.dtype(), a.size(0), a.size(1), b.size(2));
        if (beta != 0) {
            Copies.fill(e, out, added);
        }
        multiplyBatches(e, out, a, b, alpha, beta);
        return r.backward(g -> {
                    Tensor ga = r.needs(1)
                            ? e.call(() ->
                                    Scaling.maybeTimes(e, bmm(e, g[0], Views.transpose(e, second.get(), 1, 2)), alpha))
                            : null;
                    Tensor gb = r.needs(2)
                            ? e.call(() ->
                                    Scaling.maybeTimes(e, bmm(e, Views.transpose(e, first.get(), 1, 2), g[0]), alpha))
                            : null;
                    return new Tensor[] {r.needs(0) ? Scaling.maybeTimes(e, g[0], beta) : null, ga, gb};
                })
                .output(out);
    }

    /** {@code mv}. */
    static Tensor mv(Eager e, Tensor matrix, Tensor vector) {
        Recorder r = e.record("MvBackward0", matrix, vector);
        SavedTensor first = r.saveIf(r.needs(1), matrix);
        SavedTensor second = r.saveIf(r.needs(0), vector);
        Tensor out = e.empty(matrix.dtype(), matrix.size(0));
        if (!isLeft(e, out, matrix, 0)) {
            e.backend()
                    .matrices()
                    .multiply(
                            column(e, out),
                            matrix,
                            column(e, vector),
                            1,
                            0,
                            e.blasWorkspaces().current());
        }
        return r.backward(g -> new Tensor[] {
                    r.needs(0)
                            ? Elementwise.binary(
                                    e,
                                    Elementwise.MULTIPLY,
                                    Views.unsqueeze(e, g[0], 1),
                                    Views.unsqueeze(e, second.get(), 0))
                            : null,
                    r.needs(1) ? mv(e, Views.t(e, first.get()), g[0]) : null
                })
                .output(out);
    }

    /**
     * {@code dot}, and {@code vdot} of real numbers.
     *
     * @param node what its step of the backward pass is called
     */
    static Tensor dot(Eager e, String node, Tensor a, Tensor b) {
        Recorder r = e.record(node, a, b);
        SavedTensor first = r.saveIf(r.needs(1), a);
        SavedTensor second = r.saveIf(r.needs(0), b);
        Tensor out = e.empty(a.dtype());
        Tensor one = e.alias(out, new long[] {1, 1}, new long[] {1, 1}, out.offset());
        e.backend()
                .matrices()
                .multiply(
                        one,
                        e.alias(a, new long[] {1, a.size(0)}, new long[] {1, a.stride(0)}, a.offset()),
                        column(e, b),
                        1,
                        0,
                        e.blasWorkspaces().current());
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? Elementwise.binary(e, Elementwise.MULTIPLY, g[0], second.get()) : null,
                    r.needs(1) ? Elementwise.binary(e, Elementwise.MULTIPLY, g[0], first.get()) : null
                })
                .output(out);
    }

    private static Tensor column(Eager e, Tensor vector) {
        long step = vector.stride(0);
        return e.alias(vector, new long[] {vector.size(0), 1}, new long[] {step, step}, vector.offset());
    }

    /** {@code out = alpha a b + beta out} below autograd. */
    static void multiplyInto(Eager e, Tensor out, Tensor a, Tensor b, double alpha, double beta) {
        multiply(e, out, a, b, alpha, beta);
    }

    /** Whether there is nothing to multiply: then the library is not asked, and what is added to stays alone. */
    private static boolean isLeft(Eager e, Tensor out, Tensor a, double beta) {
        if (out.elements() > 0 && a.elements() == 0) {
            if (beta == 0) {
                Elementwise.fill(e, out, 0);
            } else {
                Elementwise.into(e, Scaling.SCALE, new double[] {beta}, out, out);
            }
        }
        return out.elements() == 0 || a.elements() == 0;
    }

    private static void multiply(Eager e, Tensor out, Tensor a, Tensor b, double alpha, double beta) {
        if (isLeft(e, out, a, beta)) {
            return;
        }
        try (Scope s = e.open()) {
            // cuBLAS is column-major: it computes the transposed result from the operands in reverse.
            Tensor second = fitted(e, b);
            Tensor first = fitted(e, a);
            e.backend()
                    .matrices()
                    .multiply(
                            out, first, second, alpha, beta, e.blasWorkspaces().current());
        }
    }

    /** prepare_matrix_for_cublas: a copy of what has neither its rows nor its columns packed. */
    private static Tensor fitted(Eager e, Tensor t) {
        boolean rows = t.stride(1) == 1 && t.stride(0) >= Math.max(1, t.size(1));
        boolean columns = t.stride(0) == 1 && t.stride(1) >= Math.max(1, t.size(0));
        return rows || columns || Layout.isDense(t.sizes(), t.strides()) ? t : copy(e, t);
    }

    private static void multiplyBatches(Eager e, Tensor out, Tensor a, Tensor b, double alpha, double beta) {
        if (isLeft(e, out, a, beta)) {
            return;
        }
        try (Scope s = e.open()) {
            long m = out.size(1);
            long n = out.size(2);
            long k = a.size(2);
            // The result is row-major; with a single column it is column-major just as well, and that is asked first.
            boolean columns = out.stride(1) == 1 && (n == 1 || out.stride(2) >= Math.max(1, m));
            Tensor second = columns ? fittedBatch(e, b, false, k, n) : fittedBatch(e, b, true, n, k);
            Tensor first = columns ? fittedBatch(e, a, false, m, k) : fittedBatch(e, a, true, k, m);
            e.backend()
                    .matrices()
                    .multiply(
                            out, first, second, alpha, beta, e.blasWorkspaces().current());
        }
    }

    /** prepare_batch_matrix_for_cublas. */
    private static Tensor fittedBatch(Eager e, Tensor t, boolean transposed, long m, long n) {
        int fast = transposed ? 2 : 1;
        int leading = transposed ? 1 : 2;
        boolean straight = t.stride(fast) == 1 && t.stride(leading) >= Math.max(1, m);
        boolean turned = t.stride(leading) == 1 && t.stride(fast) >= Math.max(1, n);
        boolean packed = t.isContiguous() && t.stride(1) != 0 && t.stride(2) != 0;
        return straight || turned || packed ? t : copy(e, t);
    }

    private static Tensor copy(Eager e, Tensor t) {
        Tensor out = e.emptyStrided(t.dtype(), t.sizes(), Copies.strides(t, MemoryFormat.CONTIGUOUS));
        Copies.fill(e, out, t);
        return out;
    }
}
