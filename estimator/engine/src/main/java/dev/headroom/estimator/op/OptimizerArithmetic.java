package dev.headroom.estimator.op;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.matmul.Matmul;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;

/** The operators that optimizers call; nothing is recorded for gradients, as their steps run under {@code no_grad}. */
public final class OptimizerArithmetic {
    private OptimizerArithmetic() {}

    /** A fresh result of element-wise arithmetic on these operands. */
    public static Tensor elementwise(EagerRuntime rt, Tensor... operands) {
        return Pointwise.op(rt, operands);
    }

    /** {@code t.clone()}. */
    public static Tensor copy(EagerRuntime rt, Tensor t) {
        return Copies.clone(rt, t);
    }

    /** {@code a @ b}. */
    public static Tensor matmul(EagerRuntime rt, Tensor a, Tensor b) {
        return Matmul.matmul(rt, a, b);
    }

    /** {@code t.mean(dim, keepdim=True)}. */
    public static Tensor mean(EagerRuntime rt, Tensor t, int dim) {
        return Reductions.mean(rt, t, new long[] {dim}, true, t.dtype());
    }

    /** {@code t.mean()}. */
    public static Tensor mean(EagerRuntime rt, Tensor t) {
        return Reductions.mean(rt, t, null, false, t.dtype());
    }

    /** {@code torch.linalg.vector_norm(t, dim=dim, keepdim=True)} (ATen/native/cuda/ReduceNormKernel.cu). */
    public static Tensor norm(EagerRuntime rt, Tensor t, int dim) {
        return norm(rt, t, Reductions.mask(new long[] {dim}, t.dim()), true);
    }

    /** {@code t.norm(2)}: over all dimensions. */
    public static Tensor norm(EagerRuntime rt, Tensor t) {
        return norm(rt, t, Reductions.mask(null, t.dim()), false);
    }

    private static Tensor norm(EagerRuntime rt, Tensor t, boolean[] mask, boolean keep) {
        return Reductions.reduce(rt, t, mask, keep, t.dtype(), Reductions.accumulator(t.dtype()));
    }
}
