package dev.headroom.estimator.predict;

import java.util.List;

/**
 * A parameter at the end of a run, and what belongs to it.
 *
 * @param name qualified
 * @param bytes of its elements
 * @param requiresGrad whether it is trained
 * @param gradient number of the storage of its gradient, or -1 when it has none
 * @param state of the optimizer
 */
public record ParameterMemory(String name, long bytes, boolean requiresGrad, int gradient, List<State> state) {
    /**
     * A tensor of the optimizer's state.
     *
     * @param storage its number
     * @param bytes of its elements
     */
    public record State(int storage, long bytes) {}
}
