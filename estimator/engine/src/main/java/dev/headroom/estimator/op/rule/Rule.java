package dev.headroom.estimator.op.rule;

import dev.headroom.estimator.runtime.Tensor;

/** What one ATen operator does to memory: makes its results, and records what its backward pass needs. */
@FunctionalInterface
public interface Rule {
    /** @return the results in the schema's order, lists flattened; an in-place operator returns its argument */
    Tensor[] run(Call call);

    /** A rule with one result. */
    @FunctionalInterface
    interface Single {
        Tensor run(Call call);
    }
}
