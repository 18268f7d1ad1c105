package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;

/** {@code softmax} and {@code log_softmax} (ATen/native/cuda/SoftMax.cu): the result is kept. */
final class SoftmaxRules {
    private SoftmaxRules() {}

    static void register(Registry r) {
        for (String name : new String[] {"aten.softmax", "aten._softmax"}) {
            r.single(name, c -> apply(c.runtime(), "SoftmaxBackward0", c.tensor("self"), c.type("dtype", null)));
        }
        for (String name : new String[] {"aten.log_softmax", "aten._log_softmax"}) {
            r.single(name, c -> apply(c.runtime(), "LogSoftmaxBackward0", c.tensor("self"), c.type("dtype", null)));
        }
    }

    /** The input is made contiguous first; half types that go to float32 are converted inside the kernel. */
    static Tensor apply(Runtime rt, String node, Tensor x0, DType type) {
        DType to = type == null ? x0.dtype() : type;
        boolean logarithmic = node.startsWith("Log");
        boolean fused = x0.dtype() == DType.FLOAT16 && to == DType.FLOAT32;
        Tensor x = fused ? x0 : Copies.to(rt, x0, to);
        Recording r = rt.record(node, x);
        Tensor out = rt.empty(to, x.sizes());
        Tensor dense = Copies.contiguous(rt, x);
        if (dense != x) {
            rt.free(dense);
        }
        if (x != x0) {
            rt.free(x);
        }
        if (r != null) {
            Saved result = r.saveOutput(out);
            DType from = x0.dtype();
            r.gradient(0, g -> {
                        Tensor y = result.get();
                        Tensor grad = rt.empty(fused ? from : y.dtype(), y.sizes());
                        // softmax multiplies first; log_softmax wants a contiguous gradient.
                        Tensor product = logarithmic ? Copies.contiguous(rt, g) : Pointwise.op(rt, g, y);
                        if (product != g) {
                            rt.free(product);
                        }
                        return grad;
                    })
                    .output(out);
        }
        return out;
    }
}
