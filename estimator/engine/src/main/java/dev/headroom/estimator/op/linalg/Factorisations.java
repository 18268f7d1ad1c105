package dev.headroom.estimator.op.linalg;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Calls of {@code torch.linalg} (ATen/native/BatchLinearAlgebra.cpp). Results, what they keep and copies of operands
 * are played; the backward pass, a handful of products of matrices, is a bound, as are the libraries' workspaces.
 */
final class Factorisations {
    /** Temporaries of the operand's size that a backward pass has at most at once. */
    private static final int TEMPORARIES = 4;

    private Factorisations() {}

    static Tensor[] qr(Matrices m) {
        boolean complete = m.call().text("mode", "reduced").equals("complete");
        long k = complete ? m.rows() : m.least();
        return Matrices.tensors(m.each(m.rows(), k), m.each(k, m.columns()));
    }

    static Tensor[] svd(Matrices m, boolean full) {
        long k = m.least();
        return Matrices.tensors(
                m.each(m.rows(), full ? m.rows() : k), m.each(k), m.each(full ? m.columns() : k, m.columns()));
    }

    static Tensor[] run(Call c, String name, Matrices.Results results) {
        EagerRuntime rt = c.runtime();
        Matrices m = Matrices.of(c);
        Tensor a = m.all();
        Tensor other = c.has("B") ? c.tensor("B") : null;
        Recorder r = rt.record(name, a, other);
        r.save(a);
        r.save(other);
        Tensor copy = rt.empty(a.dtype(), a.sizes());
        rt.workspaces().useBlas();
        Tensor[] out = results.of(m);
        r.saveOutput(copy);
        for (Tensor t : out) {
            r.saveOutput(t);
        }
        rt.workspaces().noteBound();
        r.gradients(grads -> backward(rt, r, a, other));
        for (Tensor t : out) {
            r.output(t);
        }
        r.nonDifferentiable(copy);
        rt.free(copy);
        return out;
    }

    private static @Nullable Tensor[] backward(EagerRuntime rt, Recorder r, Tensor a, @Nullable Tensor other) {
        rt.workspaces().useBlas();
        for (int i = 0; i < TEMPORARIES; i++) {
            rt.empty(a.dtype(), a.sizes());
        }
        Tensor ofFirst = r.needs(0) ? rt.empty(a.dtype(), a.sizes()) : null;
        Tensor ofOther = other != null && r.needs(1) ? rt.empty(other.dtype(), other.sizes()) : null;
        return new Tensor[] {ofFirst, ofOther};
    }
}
