package dev.headroom.executor.op.reduction;

import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.runtime.Eager;
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
        return Reductions.reduce(e, Kind.NORM, t, ReducedDimensions.kept(t.sizes(), new long[] {dim}), t.dtype());
    }

    /** {@code t.mean(dim=dim, keepdim=True)}. */
    public static Tensor mean(Eager e, Tensor t, int dim) {
        return Reductions.reduce(e, Kind.MEAN, t, ReducedDimensions.kept(t.sizes(), new long[] {dim}), t.dtype());
    }

    /** {@code rows @ columns} of (…, m, 1) and (…, 1, n): only two matrices go to cuBLAS. */
    public static Tensor outer(Eager e, Tensor rows, Tensor columns) {
        return Matmul.matmul(e, rows, columns);
    }
}
