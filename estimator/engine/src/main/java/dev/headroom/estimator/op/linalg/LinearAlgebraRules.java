package dev.headroom.estimator.op.linalg;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.linalg} (ATen/native/BatchLinearAlgebra.cpp). Results, what they keep and copies of the operands are
 * played; the backward pass, a handful of products of matrices, is a bound, as are the libraries' workspaces.
 */
public final class LinearAlgebraRules {
    private static final String WHY = "cuSOLVER's workspace is not known; the backward pass is a bound";

    /** Temporaries of the operand's size that a backward pass has at most at once. */
    private static final int TEMPORARIES = 4;

    /** Sizes of the results from those of the matrices. */
    private interface Results {
        Tensor[] of(Call c, Tensor a, long[] batch, long rows, long columns);
    }

    private LinearAlgebraRules() {}

    public static void register(Registry r) {
        r.single("aten.linalg_norm", c -> norm(new Body(c.runtime(), r), c));
        r.single("aten.linalg_matrix_norm.default", c -> matrixNorm(new Body(c.runtime(), r), c));
        square(r, "linalg_inv", "inverse", "linalg_cholesky", "cholesky", "cholesky_inverse", "linalg_matrix_exp");
        square(r, "matrix_exp", "linalg_pinv", "pinverse", "linalg_matrix_sqrth");
        add(r, "linalg_inv_ex", (c, a, b, m, n) -> tensors(like(c, a), info(c, b)));
        add(r, "linalg_cholesky_ex", (c, a, b, m, n) -> tensors(like(c, a), info(c, b)));
        for (String name : new String[] {"linalg_solve", "linalg_solve_triangular", "linalg_lu_solve"}) {
            add(r, name, (c, a, b, m, n) -> tensors(like(c, c.tensor("B"))));
        }
        add(r, "cholesky_solve", (c, a, b, m, n) -> tensors(like(c, a)));
        add(r, "linalg_det", (c, a, b, m, n) -> tensors(c.runtime().empty(a.dtype(), b)));
        add(r, "det", (c, a, b, m, n) -> tensors(c.runtime().empty(a.dtype(), b)));
        add(r, "logdet", (c, a, b, m, n) -> tensors(c.runtime().empty(a.dtype(), b)));
        for (String name : new String[] {"linalg_slogdet", "slogdet"}) {
            add(
                    r,
                    name,
                    (c, a, b, m, n) ->
                            tensors(c.runtime().empty(a.dtype(), b), c.runtime().empty(a.dtype(), b)));
        }
        add(r, "linalg_eigh", (c, a, b, m, n) -> tensors(c.runtime().empty(a.dtype(), join(b, n)), like(c, a)));
        add(r, "linalg_eigvalsh", (c, a, b, m, n) -> {
            like(c, a);
            return tensors(c.runtime().empty(a.dtype(), join(b, n)));
        });
        add(r, "linalg_svdvals", (c, a, b, m, n) -> {
            like(c, a);
            return tensors(c.runtime().empty(a.dtype(), join(b, Math.min(m, n))));
        });
        add(r, "linalg_qr", LinearAlgebraRules::qr);
        add(r, "linalg_svd", (c, a, b, m, n) -> svd(c, a, b, m, n, c.flag("full_matrices", true)));
        add(r, "svd", (c, a, b, m, n) -> svd(c, a, b, m, n, !c.flag("some", true)));
        add(
                r,
                "linalg_lu_factor",
                (c, a, b, m, n) -> tensors(like(c, a), c.runtime().empty(DType.INT32, join(b, Math.min(m, n)))));
    }

    private static void square(Registry r, String... names) {
        for (String name : names) {
            add(r, name, (c, a, b, m, n) -> tensors(c.runtime().empty(a.dtype(), join(b, n, m))));
        }
    }

    private static Tensor[] tensors(Tensor... list) {
        return list;
    }

    private static Tensor like(Call c, Tensor a) {
        return c.runtime().empty(a.dtype(), a.sizes());
    }

    private static Tensor info(Call c, long[] batch) {
        return c.runtime().empty(DType.INT32, batch);
    }

    private static long[] join(long[] batch, long... more) {
        long[] out = Arrays.copyOf(batch, batch.length + more.length);
        System.arraycopy(more, 0, out, batch.length, more.length);
        return out;
    }

    private static Tensor[] qr(Call c, Tensor a, long[] b, long m, long n) {
        boolean complete = c.text("mode", "reduced").equals("complete");
        long k = complete ? m : Math.min(m, n);
        return tensors(c.runtime().empty(a.dtype(), join(b, m, k)), c.runtime().empty(a.dtype(), join(b, k, n)));
    }

    private static Tensor[] svd(Call c, Tensor a, long[] b, long m, long n, boolean full) {
        long k = Math.min(m, n);
        return tensors(
                c.runtime().empty(a.dtype(), join(b, m, full ? m : k)),
                c.runtime().empty(a.dtype(), join(b, k)),
                c.runtime().empty(a.dtype(), join(b, full ? n : k, n)));
    }

    private static void add(Registry r, String name, Results results) {
        r.bound("aten." + name, WHY);
        r.add("aten." + name, c -> run(c, name, results));
    }

    private static Tensor matrices(Call c) {
        for (String name : new String[] {"A", "self", "input", "LU"}) {
            if (c.has(name)) {
                return c.tensor(name);
            }
        }
        throw new NoRule("no matrix among the arguments");
    }

    private static Tensor[] run(Call c, String name, Results results) {
        EagerRuntime rt = c.runtime();
        Tensor a = matrices(c);
        if (a.dim() < 2) {
            throw new NoRule("no matrix");
        }
        Tensor other = c.has("B") ? c.tensor("B") : null;
        Recorder r = rt.record(name, a, other);
        r.save(a);
        r.save(other);
        Tensor copy = rt.empty(a.dtype(), a.sizes());
        rt.workspaces().useBlas();
        Tensor[] out = results.of(c, a, Arrays.copyOf(a.sizes(), a.dim() - 2), a.size(-2), a.size(-1));
        r.saveOutput(copy);
        for (Tensor t : out) {
            r.saveOutput(t);
        }
        rt.workspaces().noteBound();
        Tensor[] operands = {a, other};
        r.gradients(grads -> backward(rt, r, operands));
        for (Tensor t : out) {
            r.output(t);
        }
        r.nonDifferentiable(copy);
        rt.free(copy);
        return out;
    }

    private static Tensor[] backward(EagerRuntime rt, Recorder r, Tensor[] operands) {
        Tensor[] out = new Tensor[operands.length];
        rt.workspaces().useBlas();
        for (int i = 0; i < TEMPORARIES; i++) {
            rt.empty(operands[0].dtype(), operands[0].sizes());
        }
        for (int i = 0; i < out.length; i++) {
            out[i] = operands[i] != null && r.needs(i) ? rt.empty(operands[i].dtype(), operands[i].sizes()) : null;
        }
        return out;
    }

    /** Vectors' norms, and of matrices what {@code matrix_norm} does. */
    private static Tensor norm(Body b, Call c) {
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

    private static Tensor matrixNorm(Body b, Call c) {
        return sums(b, c.tensor("self"), c.number("ord", 2), c.integersOrNull("dim"), c.flag("keepdim", false));
    }

    /** The largest or smallest sum of a column or row. */
    private static Tensor sums(Body b, Tensor a, double order, long @Nullable [] given, boolean keep) {
        boolean columns = Math.abs(order) == 1;
        if (!columns && !Double.isInfinite(order)) {
            throw new NoRule("norms by singular values");
        }
        long[] dims = given == null ? new long[] {-2, -1} : given;
        int summed = dev.headroom.model.graph.Shapes.wrap(columns ? dims[0] : dims[1], a.dim());
        int rest = dev.headroom.model.graph.Shapes.wrap(columns ? dims[1] : dims[0], a.dim());
        Tensor lengths = b.call("linalg_vector_norm", a, 1.0, new long[] {summed}, keep);
        int dim = keep || rest < summed ? rest : rest - 1;
        return b.give(b.call(order > 0 ? "amax" : "amin", lengths, new long[] {dim}, keep));
    }
}
