package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What an operator does in the backward pass. */
@FunctionalInterface
public interface Backward {
    /**
     * Computes gradients.
     *
     * @param gradients of the operator's results, {@code null} for one that nothing used; borrowed
     * @return one for each of the recorded inputs, as local variables; {@code null} for none
     */
    @Nullable
    Tensor[] apply(@Nullable Tensor[] gradients);
}
