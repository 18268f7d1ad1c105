package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Tensor;

/** Fresh tensors (ATen/native/TensorFactories.cpp). */
final class Creation {
    private Creation() {}

    static Tensor zeros(Runtime rt, DType type, long... sizes) {
        return rt.empty(type, sizes);
    }
}
