package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * Types of mixed precision (torch/distributed/fsdp/_fully_shard/_fsdp_api.py, MixedPrecisionPolicy).
 *
 * @param parameters in which they are gathered; {@code null} for their own
 * @param reduction in which gradients are reduced; {@code null} for their own
 */
record Precision(@Nullable DType parameters, @Nullable DType reduction) {
    /** What it means for a parameter (FSDPParam.init_dtype_attrs): a type that changes nothing is none. */
    Precision of(DType own) {
        return new Precision(
                parameters == own || !own.isFloatingPoint() ? null : parameters,
                reduction == parameters ? null : reduction);
    }
}
