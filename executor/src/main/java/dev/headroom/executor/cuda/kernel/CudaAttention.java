package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.CudaKernel;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.AttentionCall;
import dev.headroom.executor.kernel.AttentionKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Attention by kernels of the project's own: plain ones, a block for each row, that never hold all scores. */
public final class CudaAttention implements AttentionKernels {
    private static final int THREADS = 128;
    private static final int FIELDS = 11;

    private final KernelFiles kernels;

    public CudaAttention(KernelFiles kernels) {
        this.kernels = kernels;
    }

    private CudaKernel kernel(String name, AttentionCall c, @Nullable Tensor biasGradient) {
        return kernels.kernel(
                "attention", name, c.q().dtype(), type(c.logSumExp(), c), type(c.bias(), c), type(biasGradient, c));
    }

    /** What is missing has the operands' type. */
    private static DType type(@Nullable Tensor t, AttentionCall c) {
        return t == null ? c.q().dtype() : t.dtype();
    }

    /** A block for each row, with room for so many sums. */
    private static LaunchShape rows(long rows, long sums) {
        return LaunchShape.of(Math.toIntExact(rows), THREADS).withShared(Math.toIntExact(sums * Double.BYTES));
    }

    private static byte[] view(@Nullable Tensor t) {
        return t == null ? DeviceView.none() : DeviceView.of(t);
    }

    private static byte[] bias(AttentionCall c) {
        return c.bias() == null
                ? DeviceView.none()
                : DeviceView.of(c.bias(), new long[] {c.batch(), c.heads(), c.queries(), c.keys()});
    }

    @Override
    public void attention(AttentionCall c) {
        kernel("attention", c, null)
                .launch(
                        rows(c.rows(), c.q().size(3) + c.v().size(3)),
                        problem(c),
                        view(c.result()),
                        view(c.logSumExp()),
                        view(c.q()),
                        view(c.k()),
                        view(c.v()),
                        bias(c));
    }

    @Override
    public void attentionBackward(AttentionCall c, Tensor g, AttentionCall.Gradients gradients) {
        byte[] problem = problem(c);
        byte[] added = bias(c);
        kernel("query_gradient", c, gradients.bias())
                .launch(
                        rows(c.rows(), c.q().size(3)),
                        problem,
                        view(gradients.q()),
                        view(gradients.bias()),
                        view(g),
                        view(c.q()),
                        view(c.k()),
                        view(c.v()),
                        added,
                        view(c.result()),
                        view(c.logSumExp()));
        for (Tensor gradient : new Tensor[] {gradients.k(), gradients.v()}) {
            kernel("key_gradient", c, gradients.bias())
                    .launch(
                            rows(gradient.size(0) * gradient.size(1) * gradient.size(2), gradient.size(3)),
                            problem,
                            gradient == gradients.v() ? 1 : 0,
                            view(gradient),
                            view(g),
                            view(c.q()),
                            view(c.k()),
                            view(c.v()),
                            added,
                            view(c.result()),
                            view(c.logSumExp()));
        }
    }

    /** The kernels' {@code struct Problem}. */
    private static byte[] problem(AttentionCall c) {
        AttentionCall.Spec spec = c.spec();
        ByteBuffer out = ByteBuffer.allocate(FIELDS * Long.BYTES).order(ByteOrder.nativeOrder());
        out.putLong(c.heads()).putLong(c.queries()).putLong(c.keys());
        out.putLong(c.q().size(3)).putLong(c.v().size(3));
        out.putLong(c.k().size(1)).putLong(c.v().size(1));
        out.putLong(spec.causal() ? 1 : 0);
        out.putDouble(spec.scale()).putDouble(spec.dropout());
        return out.putLong(spec.seed()).array();
    }
}
