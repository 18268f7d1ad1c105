package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/**
 * cuDNN's fused attention (ATen/native/cudnn/MHA.cpp, run_cudnn_SDP_fprop and run_cudnn_SDP_bprop). What cuDNN's
 * plans ask for beyond the accumulators below is not known without cuDNN and counts as none.
 */
final class CudnnAttention {
    private CudnnAttention() {}

    static Tensor apply(EagerRuntime rt, AttentionCall c) {
        Tensor q = c.query();
        Tensor k = c.key();
        Tensor v = c.value();
        Recorder r = rt.record("ScaledDotProductCudnnAttentionBackward0", q, k, v);
        r.save(c.mask());
        Saved key = r.save(k);
        Saved query = r.save(q);
        Saved value = r.save(v);
        Tensor seed = rt.empty(DType.INT64);
        Tensor shift = rt.empty(DType.INT64);
        Tensor out = matching(rt, q, v.size(3));
        Tensor sums = r.records() ? rt.empty(DType.FLOAT32, q.size(0), q.size(1), q.size(2), 1) : null;
        r.saveOutput(sums);
        Saved result = r.saveOutput(out);
        r.saveOutput(shift);
        r.saveOutput(seed);
        r.gradients(grads -> grads[0] == null
                        ? new Tensor[3]
                        : backward(rt, grads[0], query.get(), key.get(), value.get(), result.get()))
                .output(out);
        r.nonDifferentiable(sums);
        rt.free(sums);
        rt.free(shift);
        rt.free(seed);
        return out;
    }

    /** {@code alloc_with_matching_layout}: the query's order of dimensions, packed. */
    private static Tensor matching(EagerRuntime rt, Tensor q, long features) {
        long[] sizes = {q.size(0), q.size(1), q.size(2), features};
        if (features == q.size(3) && q.isNonOverlappingAndDense()) {
            return rt.emptyStrided(q.dtype(), sizes, q.strides());
        }
        Integer[] order = {0, 1, 2, 3};
        java.util.Arrays.sort(order, (a, b) -> Long.compare(q.stride(a), q.stride(b)));
        int[] packed = {order[0], order[1], order[2], order[3]};
        return rt.emptyStrided(q.dtype(), sizes, Shapes.denseInOrder(sizes, packed));
    }

    private static Tensor[] backward(EagerRuntime rt, Tensor g, Tensor q, Tensor k, Tensor v, Tensor result) {
        Tensor gq = rt.emptyLike(q);
        Tensor gk = rt.emptyLike(k);
        Tensor gv = rt.emptyLike(v);
        Tensor dense = g.stride(-1) == 1 ? null : rt.emptyLike(result);
        rt.free(rt.workspace(accumulators(q)));
        rt.free(dense);
        return new Tensor[] {gq, gk, gv};
    }

    /**
     * Bytes of the float32 sums that cuDNN's front end keeps in a backward pass: the query's gradient and the row
     * sums of the softmax, each in units of 16 bytes (cudnn_frontend/node/scaled_dot_product_flash_attention.h,
     * SDPABackwardNode).
     */
    static long accumulators(Tensor q) {
        long rows = q.size(0) * q.size(1) * q.size(2);
        return roundUp(rows * q.size(3) * 4) + roundUp(rows * 4);
    }

    private static long roundUp(long bytes) {
        return (bytes + 15) / 16 * 16;
    }
}
