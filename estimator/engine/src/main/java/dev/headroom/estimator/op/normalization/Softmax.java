package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/** {@code softmax} and {@code log_softmax} (ATen/native/cuda/SoftMax.cu): the result is kept. */
public final class Softmax {
    private Softmax() {}

    /** The input is made contiguous first; half types that go to float32 are converted inside the kernel. */
    public static Tensor apply(EagerRuntime rt, String node, Tensor x0, long dim, @Nullable DType type) {
        DType to = type == null ? x0.dtype() : type;
        boolean logarithmic = node.startsWith("Log");
        boolean fused = x0.dtype() == DType.FLOAT16 && to == DType.FLOAT32;
        Tensor x = fused ? x0 : Copies.to(rt, x0, to);
        Recorder r = rt.record(node, x);
        Tensor out = rt.empty(to, x.sizes());
        Tensor dense = Copies.dense(rt, x);
        rt.freeUnless(dense, x);
        rt.freeUnless(x, x0);
        Saved result = r.saveOutput(out);
        DType from = fused ? x0.dtype() : to;
        return r.gradient(0, g -> backward(rt, g, result.get(), from, !logarithmic))
                .again(grads -> new Tensor[] {
                    SoftmaxTwice.backward(
                            rt,
                            grads[0],
                            result.get(),
                            Shapes.wrap(dim, result.get().dim()),
                            logarithmic,
                            () -> backward(rt, grads[0], result.get(), from, !logarithmic))
                })
                .output(out);
    }

    /**
     * SoftMax.cu, softmax_backward_cuda_out and host_softmax_backward.
     *
     * @param weighted for the softmax itself: the kernel reads the gradient times the result
     */
    public static Tensor backward(EagerRuntime rt, Tensor g, Tensor result, DType type, boolean weighted) {
        Tensor grad = rt.empty(type, result.sizes());
        Tensor read = weighted ? Pointwise.op(rt, g, result) : g;
        Tensor dense = Copies.dense(rt, read);
        rt.freeUnless(dense, read);
        rt.freeUnless(read, g);
        return grad;
    }
}
