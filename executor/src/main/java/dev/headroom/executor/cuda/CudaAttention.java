package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.AttentionKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Attention by kernels of the project's own: plain ones, a block for each row, that never hold all scores. */
final class CudaAttention implements AttentionKernels {
    private static final int THREADS = 128;
    private static final int FIELDS = 11;

    private final KernelFiles kernels;

    CudaAttention(KernelFiles kernels) {
        this.kernels = kernels;
    }

    private CudaKernel kernel(String name, Tensor q, Tensor logSumExp, Tensor bias, Tensor dbias) {
        DType type = q.dtype();
        return kernels.kernel(
                "attention",
                name,
                type,
                logSumExp == null ? type : logSumExp.dtype(),
                bias == null ? type : bias.dtype(),
                dbias == null ? type : dbias.dtype());
    }

    /** A block for each row, with room for so many sums. */
    private static LaunchShape rows(long rows, long sums) {
        return LaunchShape.of(Math.toIntExact(rows), THREADS).withShared(Math.toIntExact(sums * Double.BYTES));
    }

    private static byte[] view(Tensor t) {
        return t == null ? DeviceView.none() : DeviceView.of(t);
    }

    private static byte[] bias(Tensor bias, Tensor q, Tensor k) {
        return bias == null
                ? DeviceView.none()
                : DeviceView.of(bias, new long[] {q.size(0), q.size(1), q.size(2), k.size(2)});
    }

    @Override
    public void attention(Tensor result, Tensor logSumExp, Tensor q, Tensor k, Tensor v, Tensor bias, Spec spec) {
        kernel("attention", q, logSumExp, bias, null)
                .launch(
                        rows(q.size(0) * q.size(1) * q.size(2), q.size(3) + v.size(3)),
                        problem(q, k, v, spec),
                        view(result),
                        view(logSumExp),
                        view(q),
                        view(k),
                        view(v),
                        bias(bias, q, k));
    }

    @Override
    public void attentionGradient(
            Tensor dq,
            Tensor dk,
            Tensor dv,
            Tensor dbias,
            Tensor g,
            Tensor q,
            Tensor k,
            Tensor v,
            Tensor bias,
            Tensor result,
            Tensor logSumExp,
            Spec spec) {
        byte[] problem = problem(q, k, v, spec);
        byte[] added = bias(bias, q, k);
        kernel("query_gradient", q, logSumExp, bias, dbias)
                .launch(
                        rows(q.size(0) * q.size(1) * q.size(2), q.size(3)),
                        problem,
                        view(dq),
                        view(dbias),
                        view(g),
                        view(q),
                        view(k),
                        view(v),
                        added,
                        view(result),
                        view(logSumExp));
        for (Tensor gradient : new Tensor[] {dk, dv}) {
            kernel("key_gradient", q, logSumExp, bias, dbias)
                    .launch(
                            rows(gradient.size(0) * gradient.size(1) * gradient.size(2), gradient.size(3)),
                            problem,
                            gradient == dv ? 1 : 0,
                            view(gradient),
                            view(g),
                            view(q),
                            view(k),
                            view(v),
                            added,
                            view(result),
                            view(logSumExp));
        }
    }

    /** The kernels' {@code struct Problem}. */
    private static byte[] problem(Tensor q, Tensor k, Tensor v, Spec spec) {
        ByteBuffer out = ByteBuffer.allocate(FIELDS * Long.BYTES).order(ByteOrder.nativeOrder());
        out.putLong(q.size(1)).putLong(q.size(2)).putLong(k.size(2));
        out.putLong(q.size(3)).putLong(v.size(3)).putLong(k.size(1)).putLong(v.size(1));
        out.putLong(spec.causal() ? 1 : 0);
        out.putDouble(spec.scale()).putDouble(spec.dropout());
        return out.putLong(spec.seed()).array();
    }
}
