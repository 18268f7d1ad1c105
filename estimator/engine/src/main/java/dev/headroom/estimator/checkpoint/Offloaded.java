package dev.headroom.estimator.checkpoint;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * A tensor that waits in pinned host memory (torch/autograd/graph.py, save_on_cpu): what it takes to bring it back.
 */
record Offloaded(DType type, long[] sizes, long[] strides, boolean requiresGrad) {
    static Offloaded of(Tensor t) {
        return new Offloaded(t.dtype(), t.sizes(), t.strides(), t.requiresGrad());
    }

    /** A copy on the device, a local variable of the running frame. */
    Tensor back(EagerRuntime runtime) {
        Tensor t = runtime.emptyStrided(type, sizes, strides);
        runtime.requireGrad(t, requiresGrad);
        return t;
    }
}
