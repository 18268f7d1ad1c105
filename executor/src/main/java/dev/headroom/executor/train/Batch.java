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
}
