package dev.headroom.executor.checkpoint;

import dev.headroom.executor.tensor.Tensor;

/** What a checkpoint wraps. */
@FunctionalInterface
public interface Body {
    /**
     * Runs the operators in the modes of the moment.
     *
     * @param inputs borrowed
     * @return the outputs, as locals of the running scope
     */
    Tensor[] run(Tensor[] inputs);
}
