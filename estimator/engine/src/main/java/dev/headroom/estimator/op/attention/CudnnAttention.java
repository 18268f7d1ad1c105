package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * cuDNN's fused attention (ATen/native/cudnn/MHA.cpp, run_cudnn_SDP_fprop and run_cudnn_SDP_bprop). What its plans ask
 * for was measured on an H100 with cuDNN 9.19, in 367 calls (op/h100 of the test resources); other cards and versions
 * were not.
 */
final class CudnnAttention {
    /** Of every plan but that of a single query, which needs none. */
    private static final long PLAN_BYTES = 256;

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
        rt.free(forwardWorkspace(rt, q));
        r.saveOutput(sums);
        Saved result = r.saveOutput(out);
        r.saveOutput(shift);
        r.saveOutput(seed);
        r.gradients(grads -> grads[0] == null
                        ? new Tensor[3]
                        : backward(rt, r, grads[0], query.get(), key.get(), value.get(), result.get()))
                .output(out);
        r.nonDifferentiable(sums);
        rt.free(sums);
        rt.free(seed);
        rt.free(shift);
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

    private static Tensor[] backward(
            EagerRuntime rt, Recorder r, Tensor g, Tensor q, Tensor k, Tensor v, Tensor result) {
        Tensor gq = rt.emptyLike(q);
        Tensor gk = rt.emptyLike(k);
        Tensor gv = rt.emptyLike(v);
        if (g.stride(-1) != 1) {
            rt.emptyLike(result); // is there until the end
        }
        rt.free(backwardWorkspace(rt, q, k, v));
        return EfficientAttention.wanted(rt, r, gq, gk, gv);
    }

    /** Takes what a forward pass works in, if anything. */
    static @Nullable Tensor forwardWorkspace(EagerRuntime rt, Tensor q) {
        long plan = rt.options().stubCudnn() ? stub(rt) : q.size(2) > 1 ? PLAN_BYTES : 0;
        return plan == 0 ? null : rt.workspace(plan);
    }

    /**
     * Takes what a backward pass works in: the float32 sums that cuDNN's front end keeps, which are the query's
     * gradient and the row sums of the softmax, side by side
     * (cudnn_frontend/node/scaled_dot_product_flash_attention.h, SDPABackwardNode, get_fe_workspace_size_node), and
     * what the plan asks for: where several heads of the query share one of the key, the gradients of key and value
     * for every head of the query.
     */
    static Tensor backwardWorkspace(EagerRuntime rt, Tensor q, Tensor k, Tensor v) {
        long rows = q.size(0) * q.size(1) * q.size(2);
        long sums = rows * (q.size(3) + 1) * Float.BYTES;
        long plan = rt.options().stubCudnn() ? stub(rt) : PLAN_BYTES + shared(q, k) + shared(q, v);
        return rt.workspace(sums + plan);
    }

    /** What every plan of the stub asks for. */
    private static long stub(EagerRuntime rt) {
        Long fixed = rt.options().cudnnWorkspace();
        return fixed == null ? 0 : fixed;
    }

    private static long shared(Tensor q, Tensor of) {
        long rows = q.size(0) * q.size(1) * of.size(2);
        return q.size(1) == of.size(1)
                ? 0
                : roundUp(rows * of.size(3) * of.dtype().bytes());
    }

    private static long roundUp(long bytes) {
        return (bytes + 15) / 16 * 16;
    }
}
