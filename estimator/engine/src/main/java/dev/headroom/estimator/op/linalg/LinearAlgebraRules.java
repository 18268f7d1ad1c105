package dev.headroom.estimator.op.linalg;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.linalg.Matrices.Results;
import dev.headroom.estimator.op.rule.Registry;

/** {@code torch.linalg}, with what each function makes of matrices. */
public final class LinearAlgebraRules {
    private static final String WHY = "cuSOLVER's workspace is not known; the backward pass is a bound";

    /** ATen/native/LinearAlgebra.cpp, mexp_impl: a polynomial of powers of the matrix, of up to the 18th. */
    private static final String BY_VALUES = "the matrices' values decide how many powers and squarings it takes";

    private LinearAlgebraRules() {}

    public static void register(Registry r) {
        r.single("aten.linalg_norm", c -> MatrixNorms.norm(new Body(c.runtime(), r), c));
        r.single("aten.linalg_matrix_norm.default", c -> MatrixNorms.matrixNorm(new Body(c.runtime(), r), c));
        square(r, "linalg_inv", "inverse", "linalg_cholesky", "cholesky", "cholesky_inverse");
        square(r, "linalg_pinv", "pinverse", "linalg_matrix_sqrth");
        square(r, "linalg_matrix_exp", "matrix_exp");
        r.bound("aten.linalg_matrix_exp", BY_VALUES);
        r.bound("aten.matrix_exp", BY_VALUES);
        add(r, "linalg_inv_ex", m -> Matrices.tensors(m.like(), m.integers()));
        add(r, "linalg_cholesky_ex", m -> Matrices.tensors(m.like(), m.integers()));
        for (String name : new String[] {"linalg_solve", "linalg_solve_triangular", "linalg_lu_solve"}) {
            add(r, name, m -> Matrices.tensors(m.like(m.call().tensor("B"))));
        }
        add(r, "cholesky_solve", m -> Matrices.tensors(m.like()));
        for (String name : new String[] {"linalg_det", "det", "logdet"}) {
            add(r, name, m -> Matrices.tensors(m.each()));
        }
        for (String name : new String[] {"linalg_slogdet", "slogdet"}) {
            add(r, name, m -> Matrices.tensors(m.each(), m.each()));
        }
        add(r, "linalg_eigh", m -> Matrices.tensors(m.each(m.columns()), m.like()));
        add(r, "linalg_eigvalsh", m -> {
            m.like();
            return Matrices.tensors(m.each(m.columns()));
        });
        add(r, "linalg_svdvals", m -> {
            m.like();
            return Matrices.tensors(m.each(m.least()));
        });
        add(r, "linalg_qr", Factorisations::qr);
        add(r, "linalg_svd", m -> Factorisations.svd(m, m.call().flag("full_matrices", true)));
        add(r, "svd", m -> Factorisations.svd(m, !m.call().flag("some", true)));
        add(r, "linalg_lu_factor", m -> Matrices.tensors(m.like(), m.integers(m.least())));
    }

    private static void square(Registry r, String... names) {
        for (String name : names) {
            add(r, name, m -> Matrices.tensors(m.each(m.columns(), m.rows())));
        }
    }

    private static void add(Registry r, String name, Results results) {
        r.bound("aten." + name, WHY);
        r.add("aten." + name, c -> Factorisations.run(c, name, results));
    }
}
