package dev.headroom.estimator.optim;

import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What one {@code step()} of an optimizer does to memory: state that it makes, temporaries that it takes. */
public interface Optimizer {
    /** Steps all parameters that have a gradient. */
    void step();

    /** A function that lets go of gradients, evaluates the model and runs a backward pass. */
    @FunctionalInterface
    interface Closure {
        /** @return the loss, with a reference for the caller */
        Tensor evaluate();
    }

    /** Whether a step evaluates the model itself, by a closure. */
    default boolean evaluates() {
        return false;
    }

    /** {@code step(closure)}, of an optimizer that {@link #evaluates}. */
    default void step(Closure closure) {
        throw new IllegalStateException("an optimizer that takes no closure");
    }

    /**
     * Keeps the state of some parameters in float32, as {@code GlobalOptimManager.register_module_override} of
     * bitsandbytes does; others have no such thing.
     */
    default void widen(Set<Tensor> parameters) {}

    /**
     * Forms the groups of one optimizer, by positions: those whose lists of temporaries outlive a group take notice.
     */
    default void group(List<List<Integer>> members) {}

    /** Projects the gradients of some parameters, as GaLore and APOLLO do; others have no such thing. */
    default void project(Set<Tensor> parameters) {}

    /** The state of a parameter so far, by its position in the list that the optimizer was made with. */
    List<Tensor> state(int parameter);

    /**
     * Whether a step depends on nothing but the parameters, their gradients and their {@link #state}: it counts no
     * steps, and remembers nothing beside.
     */
    default boolean showsAll() {
        return false;
    }

    /**
     * Whether its kernels take the scale of a gradient scaler themselves, as fused ones do
     * ({@code _step_supports_amp_scaling}); nothing where the run's own options say so.
     */
    default Optional<Boolean> takesScale() {
        return Optional.empty();
    }

    /** Bytes of a parameter's state. */
    default long stateBytes(int parameter) {
        return state(parameter).stream().mapToLong(Tensor::nbytes).sum();
    }
}
