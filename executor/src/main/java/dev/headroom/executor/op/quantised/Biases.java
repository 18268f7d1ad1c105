package dev.headroom.executor.op.quantised;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Biases of quantised layers: the first call of a layer turns them into the type that it computes in, for good. */
final class Biases {
    private Biases() {}

    /** {@code bias.data = bias.data.to(dtype)}. */
    static void take(Eager e, @Nullable Tensor bias, DType type) {
        if (bias == null || bias.dtype() == type) {
            return;
        }
        try (Scope s = e.open()) {
            Tensor data = e.emptyLike(bias, type);
            Copies.fill(e, data, bias);
            e.setData(bias, data);
        }
    }
}
