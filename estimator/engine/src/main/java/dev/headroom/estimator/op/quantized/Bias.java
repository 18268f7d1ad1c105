package dev.headroom.estimator.op.quantized;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** The bias of a quantised layer. */
final class Bias {
    private Bias() {}

    /** {@code bias.data = bias.data.to(x.dtype)}: for good, where the type is another. */
    static void follow(EagerRuntime rt, @Nullable Tensor bias, DType type) {
        if (bias != null && bias.dtype() != type) {
            Tensor data = rt.emptyLike(bias, type);
            rt.setCategory(data, bias.storage().category());
            rt.setData(bias, data, bias.strides(), 0);
            rt.free(data);
        }
    }
}
