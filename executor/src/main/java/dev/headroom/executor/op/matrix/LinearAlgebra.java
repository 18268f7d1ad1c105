package dev.headroom.executor.op.matrix;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.MatrixKernels.Algebra;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.linalg} (aten/src/ATen/native/BatchLinearAlgebra.cpp): results, a copy of the operand that is factorised
 * in its place, and temporaries of the backward pass, at most four of the operand's size at once. Some are computed on
 * the host; cuSOLVER is not linked, and its workspaces are not measured.
 */
public final class LinearAlgebra {
    private static final int TEMPORARIES = 4;

    /** What a call makes. */
    private interface Results {
        Tensor[] of(Matrices m);
    }

    /** @param all (batch, rows, columns) */
    private record Matrices(Eager e, Arguments a, Tensor all) {
        long rows() {
            return all.size(-2);
        }

        long columns() {
            return all.size(-1);
        }

        long least() {
            return Math.min(rows(), columns());
        }

        /** For each matrix something of the sizes. */
        Tensor each(DType type, long... sizes) {
            int batch = all.dims() - 2;
            long[] joined = Arrays.copyOf(all.sizes(), batch + sizes.length);
            System.arraycopy(sizes, 0, joined, batch, sizes.length);
            return e.empty(type, joined);
        }

        Tensor each(long... sizes) {
            return each(all.dtype(), sizes);
        }

        Tensor like(Tensor t) {
            return e.empty(t.dtype(), t.sizes());
        }
    }

    private LinearAlgebra() {}

    public static void register(Operators o) {
        Results one = m -> new Tensor[] {m.like(m.all())};
        Results turned = m -> new Tensor[] {m.each(m.columns(), m.rows())};
        Results number = m -> new Tensor[] {m.each()};
        Results noted = m -> new Tensor[] {m.like(m.all()), m.each(DType.INT32)};
        Results solution = m -> new Tensor[] {m.like(m.a().tensor("B"))};
        add(o, Algebra.INVERSE, turned, "linalg_inv", "inverse");
        add(o, Algebra.INVERSE, noted, "linalg_inv_ex");
        add(o, Algebra.DETERMINANT, number, "linalg_det", "det");
        add(o, Algebra.LOG_DETERMINANT, number, "logdet");
        add(o, Algebra.SIGN_AND_LOG, m -> new Tensor[] {m.each(), m.each()}, "linalg_slogdet", "slogdet");
        add(o, Algebra.SOLVE, solution, "linalg_solve");
        add(o, null, turned, "linalg_cholesky", "cholesky", "cholesky_inverse", "linalg_matrix_exp", "matrix_exp");
        add(o, null, turned, "linalg_pinv", "pinverse", "linalg_matrix_sqrth");
        add(o, null, noted, "linalg_cholesky_ex");
        add(o, null, solution, "linalg_solve_triangular", "linalg_lu_solve");
        add(o, null, one, "cholesky_solve");
        add(o, null, m -> new Tensor[] {m.each(m.columns()), m.like(m.all())}, "linalg_eigh");
        add(o, null, m -> values(m, m.columns()), "linalg_eigvalsh");
        add(o, null, m -> values(m, m.least()), "linalg_svdvals");
        add(o, null, LinearAlgebra::triangular, "linalg_qr");
        add(o, null, m -> singular(m, m.a().flag("full_matrices", true)), "linalg_svd");
        add(o, null, m -> singular(m, !m.a().flag("some", true)), "svd");
        add(o, null, m -> new Tensor[] {m.like(m.all()), m.each(DType.INT32, m.least())}, "linalg_lu_factor");
    }

    private static Tensor[] values(Matrices m, long count) {
        m.like(m.all()); // vectors, which nobody asked for
        return new Tensor[] {m.each(count)};
    }

    private static Tensor[] triangular(Matrices m) {
        long k = m.a().text("mode", "reduced").equals("complete") ? m.rows() : m.least();
        return new Tensor[] {m.each(m.rows(), k), m.each(k, m.columns())};
    }

    private static Tensor[] singular(Matrices m, boolean full) {
        long k = m.least();
        return new Tensor[] {
            m.each(m.rows(), full ? m.rows() : k), m.each(k), m.each(full ? m.columns() : k, m.columns())
        };
    }

    private static void add(Operators o, @Nullable Algebra function, Results results, String... names) {
        for (String name : names) {
            o.add("aten." + name, (e, a) -> run(e, a, name, function, results));
            if (function == null) {
                o.limit("aten." + name);
            } else {
                o.limit("aten." + name, "host");
            }
        }
    }

    private static Tensor matrices(Arguments a) {
        for (String name : List.of("A", "self", "input", "LU")) {
            if (a.isTensor(name) && a.tensor(name).dims() >= 2) {
                return a.tensor(name);
            }
        }
        throw new UserInputException(a.node().target() + ": no matrix among the arguments");
    }

    private static Tensor[] run(
            Eager e, Arguments arguments, String name, @Nullable Algebra function, Results results) {
        Tensor a = matrices(arguments);
        Tensor b = arguments.optional("B");
        if (function == null && e.backend().computes()) {
            throw new UserInputException("no backend computes " + name + "; its memory alone can be measured");
        }
        Recorder r = e.record(name, a, b);
        SavedTensor savedA = r.save(a);
        SavedTensor savedB = r.save(b);
        try (Scope s = e.open()) {
            Tensor copy = e.empty(a.dtype(), a.sizes());
            e.blasWorkspaces().current();
            Tensor[] out;
            try (Scope inner = e.open()) {
                Tensor[] made = results.of(new Matrices(e, arguments, a));
                for (Tensor t : made) {
                    inner.pass(t);
                }
                out = made;
            }
            if (function != null && e.backend().computes()) {
                Tensor[] computed = function == Algebra.INVERSE ? new Tensor[] {out[0]} : out;
                e.backend().matrices().algebra(function, computed, a, b);
            }
            r.saveOutput(copy);
            for (Tensor t : out) {
                r.saveOutput(t);
            }
            r.backward(g -> gradients(e, r, function, g, savedA.get(), savedB.getOrNull()));
            for (Tensor t : out) {
                r.output(t);
                s.pass(t);
            }
            return out;
        }
    }

    private static @Nullable Tensor[] gradients(
            Eager e, Recorder r, @Nullable Algebra function, @Nullable Tensor[] g, Tensor a, @Nullable Tensor b) {
        try (Scope s = e.open()) {
            e.blasWorkspaces().current();
            for (int i = 0; i < TEMPORARIES; i++) {
                e.empty(a.dtype(), a.sizes());
            }
            Tensor ofA = r.needs(0) ? e.empty(a.dtype(), a.sizes()) : null;
            Tensor ofB = b != null && r.needs(1) ? e.empty(b.dtype(), b.sizes()) : null;
            if (function != null && e.backend().computes()) {
                @Nullable Tensor[] up = function == Algebra.INVERSE ? new Tensor[] {g[0]} : g;
                e.backend().matrices().algebraBackward(function, up, a, b, ofA, ofB);
            }
            return new Tensor[] {s.pass(ofA), s.pass(ofB)};
        }
    }
}
