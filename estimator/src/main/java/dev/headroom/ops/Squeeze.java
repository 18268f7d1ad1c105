package dev.headroom.ops;

import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Tensor;

/** {@code squeeze()} for the training loop. */
public final class Squeeze {
    private Squeeze() {}

    /** Without all dimensions of size 1. */
    public static Tensor all(Runtime runtime, Tensor t) {
        return Views.squeeze(runtime, t);
    }
}
