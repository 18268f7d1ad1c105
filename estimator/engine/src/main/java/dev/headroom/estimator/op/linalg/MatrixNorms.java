package dev.headroom.estimator.op.linalg;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/** {@code linalg_norm} and {@code linalg_matrix_norm} (ATen/native/LinearAlgebra.cpp), composed of others. */
final class MatrixNorms {
    private MatrixNorms() {}

    /** Vectors' norms, and of matrices what {@code matrix_norm} does. */
    static Tensor norm(Body b, Call c) {
        Tensor a = c.tensor("self", "A");
        boolean keep = c.flag("keepdim", false);
        if (!c.has("ord")) {
            return b.give(b.call("linalg_vector_norm", a, 2.0, c.integersOrNull("dim"), keep));
        }
        int dims = c.has("dim") ? c.integers("dim").length : a.dim();
        if (dims == 1) {
            return b.give(b.call("linalg_vector_norm", a, c.number("ord", 2), c.integersOrNull("dim"), keep));
        }
        return c.textOrNull("ord") == null
                ? sums(b, a, c.number("ord", 2), c.integersOrNull("dim"), keep)
                : b.give(b.call("linalg_matrix_norm.str_ord", a, c.text("ord", "fro"), c.integersOrNull("dim"), keep));
    }

    static Tensor matrixNorm(Body b, Call c) {
        return sums(b, c.tensor("self"), c.number("ord", 2), c.integersOrNull("dim"), c.flag("keepdim", false));
    }

    /** The largest or smallest sum of a column or row. */
    static Tensor sums(Body b, Tensor a, double order, long @Nullable [] given, boolean keep) {
        boolean columns = Math.abs(order) == 1;
        if (!columns && !Double.isInfinite(order)) {
            throw new NoRule("norms by singular values");
        }
        long[] dims = given == null ? new long[] {-2, -1} : given;
        int summed = Shapes.wrap(columns ? dims[0] : dims[1], a.dim());
        int rest = Shapes.wrap(columns ? dims[1] : dims[0], a.dim());
        Tensor lengths = b.call("linalg_vector_norm", a, 1.0, new long[] {summed}, keep);
        int dim = keep || rest < summed ? rest : rest - 1;
        return b.give(b.call(order > 0 ? "amax" : "amin", lengths, new long[] {dim}, keep));
    }
}
