package dev.headroom.estimator.op;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.matmul.Matmul;
import dev.headroom.estimator.op.quantized.Dequantisation;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operators that optimizers and libraries call on parameters; nothing is recorded for gradients, as their steps run
 * under {@code no_grad}.
 */
public final class OptimizerArithmetic {
    /** Elements that a block of the multi-tensor kernel takes (aten/src/ATen/native/cuda/MultiTensorApply.cuh). */
    private static final long CHUNK = 65536;

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

    /**
     * {@code torch._foreach_norm} of tensors of one type: partial sums of all chunks, then a scalar each
     * (aten/src/ATen/native/cuda/ForeachReduceOp.cu, foreach_tensor_norm_cuda).
     */
    public static List<Tensor> scalarNorms(EagerRuntime rt, List<Tensor> tensors) {
        DType type = tensors.get(0).dtype();
        long chunks = tensors.stream()
                .mapToLong(g -> Bytes.ceilDiv(g.numel(), CHUNK))
                .max()
                .orElseThrow();
        Tensor partial = rt.scratch(chunks * Reductions.accumulator(type) * tensors.size());
        List<Tensor> out = tensors.stream().map(g -> rt.empty(type)).toList();
        rt.free(partial);
        return out;
    }

    /** {@code torch.linalg.norm(t, dim=1)} of a matrix. */
    public static Tensor rowNorms(EagerRuntime rt, Tensor t) {
        return norm(rt, t, Reductions.mask(new long[] {1}, 2), false);
    }

    /** {@code torch.norm(t, dim=0)} of a matrix. */
    public static Tensor columnNorms(EagerRuntime rt, Tensor t) {
        return norm(rt, t, Reductions.mask(new long[] {0}, 2), false);
    }

    /** {@code t.to(type)}. */
    public static Tensor to(EagerRuntime rt, Tensor t, DType type) {
        return Copies.to(rt, t, type);
    }

    /** {@code t.T}. */
    public static Tensor transposed(EagerRuntime rt, Tensor t) {
        return Views.t(rt, t);
    }

    /** See {@link Dequantisation#of4Bit}. */
    public static Tensor dequantised4Bit(
            EagerRuntime rt, Tensor absmax, @Nullable Tensor nestedAbsmax, DType stored, long out, long in) {
        return Dequantisation.of4Bit(rt, absmax, nestedAbsmax, stored, out, in);
    }

    /** See {@link Dequantisation#of8Bit}. */
    public static Tensor dequantised8Bit(EagerRuntime rt, long out, long in) {
        return Dequantisation.of8Bit(rt, out, in);
    }

    private static Tensor norm(EagerRuntime rt, Tensor t, boolean[] mask, boolean keep) {
        return Reductions.reduce(rt, t, mask, keep, t.dtype(), Reductions.accumulator(t.dtype()));
    }
}
