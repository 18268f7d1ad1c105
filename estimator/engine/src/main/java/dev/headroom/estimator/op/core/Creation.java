package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Fresh tensors (ATen/native/TensorFactories.cpp). */
public final class Creation {
    private Creation() {}

    public static Tensor zeros(EagerRuntime rt, DType type, long... sizes) {
        return rt.empty(type, sizes);
    }
}
