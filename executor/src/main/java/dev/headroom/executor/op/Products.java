package dev.headroom.executor.op;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;

/** Products of matrices (aten/src/ATen/native/cuda/Blas.cpp; derivatives.yaml: mm, addmm). */
final class Products {
    private Products() {}

    /** {@code mm}. */
    static Tensor mm(Eager e, Tensor a, Tensor b) {
        Recorder r = e.record("MmBackward0", a, b);
        SavedTensor first = r.saveIf(r.needs(1), a);
        SavedTensor second = r.saveIf(r.needs(0), b);
        Tensor out = product(e, a, b);
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? mm(e, g[0], Views.t(e, second.get())) : null,
                    r.needs(1) ? mm(e, Views.t(e, first.get()), g[0]) : null
                })
                .result(out);
    }

    private static Tensor product(Eager e, Tensor a, Tensor b) {
        Tensor out = e.empty(a.dtype(), a.size(0), b.size(1));
        multiply(e, out, a, b, 1, 0);
        return out;
    }

    /** {@code addmm}: the bias, given as a row, is added by the library or copied into the result before. */
    static Tensor addmm(Eager e, Tensor bias, Tensor a, Tensor b) {
        Recorder r = e.record("AddmmBackward0", bias, a, b);
        SavedTensor first = r.saveIf(r.needs(2), a);
        SavedTensor second = r.saveIf(r.needs(1), b);
        Tensor out = e.empty(a.dtype(), a.size(0), b.size(1));
        Copies.fill(e, out, bias);
        multiply(e, out, a, b, 1, 1);
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? g[0] : null,
                    r.needs(1) ? mm(e, g[0], Views.t(e, second.get())) : null,
                    r.needs(2) ? mm(e, Views.t(e, first.get()), g[0]) : null
                })
                .result(out);
    }

    private static void multiply(Eager e, Tensor out, Tensor a, Tensor b, double alpha, double beta) {
        e.backend()
                .matrices()
                .multiply(out, a, b, alpha, beta, e.blasWorkspaces().current());
    }
}
