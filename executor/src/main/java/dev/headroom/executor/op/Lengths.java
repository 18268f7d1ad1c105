package dev.headroom.executor.op;

import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** What optimizers reduce and multiply, without recording; results are locals of the running scope. */
public final class Lengths {
    private Lengths() {}

    /** {@code t.norm(2)}: a scalar. */
    public static Tensor of(Eager e, Tensor t) {
        long[] ones = new long[t.dims()];
        Arrays.fill(ones, 1);
        Tensor out = e.empty(t.dtype());
        try (Scope s = e.open()) {
            Reductions.into(e, Kind.NORM, e.alias(out, ones, ones, 0), t);
        }
        return out;
    }

    /** {@code torch.linalg.vector_norm(t, dim=dim, keepdim=True)}. */
    public static Tensor of(Eager e, Tensor t, int dim) {
        return Reductions.reduce(e, Kind.NORM, t, ReductionOperators.kept(t.sizes(), new long[] {dim}), t.dtype());
    }

    /** {@code t.mean(dim=dim, keepdim=True)}. */
    public static Tensor mean(Eager e, Tensor t, int dim) {
        return Reductions.reduce(e, Kind.MEAN, t, ReductionOperators.kept(t.sizes(), new long[] {dim}), t.dtype());
    }

    /** {@code rows @ columns} of (…, m, 1) and (…, 1, n). */
    public static Tensor outer(Eager e, Tensor rows, Tensor columns) {
        long[] sizes = Layout.broadcast(rows, columns);
        Tensor out = e.empty(rows.dtype(), sizes);
        try (Scope s = e.open()) {
            long m = rows.size(-2);
            long n = columns.size(-1);
            long batches = out.elements() / (m * n);
            Tensor flat = e.alias(out, new long[] {batches, m, n}, new long[] {m * n, n, 1}, 0);
            Tensor a = e.alias(rows, new long[] {batches, m, 1}, new long[] {m, 1, 1}, rows.offset());
            Tensor b = e.alias(columns, new long[] {batches, 1, n}, new long[] {n, n, 1}, columns.offset());
            e.backend().matrices().multiply(flat, a, b, 1, 0, e.blasWorkspaces().current());
        }
        return out;
    }
}
