package dev.headroom.executor.op.attention;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.AttentionCall;
import dev.headroom.executor.kernel.AttentionCall.Spec;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** cuDNN's attention (aten/src/ATen/native/cudnn/MHA.cpp, run_cudnn_SDP_fprop and run_cudnn_SDP_bprop). */
final class CudnnAttention {
    /** What its plans ask for on an H100, that of a single query's forward pass aside. */
    private static final long PLAN_BYTES = 256;

    /** Parts of a workspace begin at multiples of so many bytes. */
    private static final int UNIT = 16;

    private CudnnAttention() {}

    static Tensor attention(Eager e, Tensor q, Tensor k, Tensor v, @Nullable Tensor bias, Spec spec, boolean trains) {
        Recorder r = e.record("ScaledDotProductCudnnAttentionBackward0", q, k, v);
        SavedTensor savedBias = r.save(bias);
        SavedTensor savedK = r.save(k);
        SavedTensor savedQ = r.save(q);
        SavedTensor savedV = r.save(v);
        Tensor seed = e.empty(DType.INT64);
        Tensor offset = e.empty(DType.INT64);
        long[] sizes = {q.size(0), q.size(1), q.size(2), v.size(3)};
        Tensor out = e.emptyStrided(q.dtype(), sizes, orderedAs(q, sizes));
        Tensor sums = trains ? e.empty(DType.FLOAT32, q.size(0), q.size(1), q.size(2), 1) : null;
        Tensor flat = sums == null
                ? null
                : e.alias(sums, Arrays.copyOf(sums.sizes(), 3), Arrays.copyOf(sums.strides(), 3), 0);
        try (Scope s = e.open()) {
            if (e.settings().cudnnPlans() && q.size(2) > 1) {
                e.workspace(PLAN_BYTES);
            }
            e.backend().attention().attention(new AttentionCall(q, k, v, bias, out, flat, spec));
        }
        e.free(flat);
        SavedTensor savedSums = r.saveOutput(sums);
        SavedTensor savedOut = r.saveOutput(out);
        r.saveOutput(offset);
        r.saveOutput(seed);
        SavedAttention saved = new SavedAttention(savedQ, savedK, savedV, savedBias, savedOut, savedSums);
        return r.backward(g -> gradients(e, g[0], saved.call(spec))).output(out);
    }

    /** alloc_with_matching_layout: packed, with dimensions in another tensor's order. */
    private static long[] orderedAs(Tensor like, long[] sizes) {
        int[] fastestFirst = IntStream.range(0, like.dims())
                .boxed()
                .sorted(Comparator.<Integer>comparingLong(d -> like.strides()[d])
                        .thenComparing(d -> -d))
                .mapToInt(d -> d)
                .toArray();
        return Layout.packed(sizes, fastestFirst);
    }

    private static Tensor[] gradients(Eager e, Tensor grad, AttentionCall call) {
        Tensor q = call.q();
        Tensor out = call.result();
        Tensor sums = call.givenLogSumExp();
        Tensor dq = e.emptyLike(q);
        Tensor dk = e.emptyLike(call.k());
        Tensor dv = e.emptyLike(call.v());
        try (Scope s = e.open()) {
            Tensor g = grad;
            if (grad.stride(-1) != 1) {
                g = e.emptyStrided(grad.dtype(), grad.sizes(), orderedAs(out, grad.sizes()));
                Copies.fill(e, g, grad);
            }
            // The queries' gradient in single precision, and for each query the product of result and gradient.
            long rows = q.size(0) * q.size(1) * q.size(2);
            e.workspace(Bytes.roundUp(rows * q.size(3) * Float.BYTES, UNIT)
                    + Bytes.roundUp(rows * Float.BYTES, UNIT)
                    + plan(e, q, call.k(), call.v()));
            Tensor flat = e.alias(sums, Arrays.copyOf(sums.sizes(), 3), Arrays.copyOf(sums.strides(), 3), 0);
            AttentionCall flatCall = new AttentionCall(q, call.k(), call.v(), call.bias(), out, flat, call.spec());
            e.backend().attention().attentionBackward(flatCall, g, new AttentionCall.Gradients(dq, dk, dv, null));
        }
        return new Tensor[] {dq, dk, dv};
    }

    /** Where heads of the query share one of the key, gradients of key and value are kept for each, to be summed. */
    private static long plan(Eager e, Tensor q, Tensor k, Tensor v) {
        if (!e.settings().cudnnPlans()) {
            return 0;
        }
        boolean shared = q.size(1) != k.size(1);
        long each = q.size(0)
                * q.size(1)
                * k.size(2)
                * (k.size(3) + v.size(3))
                * k.dtype().bytes();
        return PLAN_BYTES + (shared ? each : 0);
    }
}
