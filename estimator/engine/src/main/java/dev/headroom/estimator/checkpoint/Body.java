package dev.headroom.estimator.checkpoint;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.Region;

/** What a checkpoint wraps: run once in the forward pass and again in the backward pass. */
@FunctionalInterface
public interface Body {
    /**
     * Runs the operators under the modes of the moment.
     *
     * @param inputs borrowed, in the order of {@link Region#inputs}
     * @return in the order of {@link Region#outputs}, as local variables of the running frame
     */
    Tensor[] run(Tensor[] inputs);
}
