package dev.headroom.executor.optim;

import dev.headroom.executor.tensor.Tensor;
import java.util.List;

/** Updates parameters from their gradients. */
public interface Optimizer extends AutoCloseable {
    /** What it was given, also what has no gradient; in the model's order. */
    List<Tensor> parameters();

    /** {@code optimizer.step()}. When memory runs out in it, what it made for the time of the step is given back. */
    void step();

    /**
     * Whether its kernels divide gradients by the loss's scale and leave out a step with infinite ones themselves
     * ({@code _step_supports_amp_scaling}).
     */
    default boolean unscales() {
        return false;
    }

    /**
     * A step of an optimizer that {@link #unscales}.
     *
     * @param scale of the loss, a scalar
     * @param foundInf 1 when a gradient is not finite, else 0; a scalar
     */
    default void step(Tensor scale, Tensor foundInf) {
        throw new UnsupportedOperationException("this optimizer does not unscale gradients");
    }

    /** Lets go of its state; one without state has nothing to do. */
    @Override
    default void close() {}
}
