package dev.headroom.estimator.compile.trace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of autograd's graph. */
final class Step {
    final long number;
    final List<Traced> inputs;
    final Backward backward;
    final @Nullable Value[] gradients;
    boolean queued;

    /**
     * Made by {@link Tape}.
     *
     * @param number in the order of forward
     * @param inputs of forward
     * @param results how many results forward had
     */
    Step(long number, List<Traced> inputs, int results, Backward backward) {
        this.number = number;
        this.inputs = inputs;
        this.backward = backward;
        this.gradients = new Value[results];
    }

    /** The derivative of a call. */
    @FunctionalInterface
    interface Backward {
        /**
         * Gradients of the inputs.
         *
         * @param gradients of the results, {@code null} where there is none
         */
        @Nullable
        Value[] apply(@Nullable Value[] gradients);
    }
}
