package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;

/** {@code squeeze()} for the training loop. */
public final class Squeeze {
    private Squeeze() {}

    /** Without all dimensions of size 1. */
    public static Tensor all(EagerRuntime runtime, Tensor t) {
        return Views.squeeze(runtime, t);
    }
}
