package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;

/** {@code gather} for rules of other families. */
public final class Gathered {
    private Gathered() {}

    /** {@code t.gather(dim, index)}. */
    public static Tensor along(EagerRuntime rt, Tensor t, Tensor index) {
        return Indexing.gather(rt, t, index);
    }
}
