package dev.headroom.executor.train;

import dev.headroom.executor.tensor.Tensor;

/** Fills inputs and targets with values. */
@FunctionalInterface
public interface Batch {
    /**
     * Sets an input's values.
     *
     * @param name of the model's input, or {@code target}
     * @param t uninitialised
     */
    void fill(String name, Tensor t);

    /**
     * Sets the target of a loss that compares classes; by default as any target.
     *
     * @param t integers from 0 on, uninitialised
     * @param classes how many there are
     */
    default void fillLabels(Tensor t, long classes) {
        fill("target", t);
    }
}
