package dev.headroom.executor.op.registry;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** An ATen operator. */
@FunctionalInterface
public interface Operator {
    /**
     * Runs it.
     *
     * @return its results, as local variables of the running scope, or arguments
     */
    Tensor[] run(Eager eager, Arguments arguments);

    /** An operator of one result. */
    @FunctionalInterface
    interface Single {
        Tensor run(Eager eager, Arguments arguments);
    }
}
