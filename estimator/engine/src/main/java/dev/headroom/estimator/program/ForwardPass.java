package dev.headroom.estimator.program;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** {@code model(inputs)}. */
public interface ForwardPass {
    /**
     * Calls the model.
     *
     * @param inputs by value name: parameters, buffers, the user's; borrowed
     * @return the user's outputs in order, each with a reference for the caller; {@code null} for one that is no tensor
     */
    Tensor[] run(Map<String, Tensor> inputs);

    /** Adds what is remembered from one call to the next; nobody knows that of a pass that does not say. */
    default void describe(Beginning to) {
        to.unknown();
    }

    /**
     * Counts as having run once more as it did between two moments.
     *
     * @param numbers those of storages now, by those of then
     */
    default void ranAgain(NodeRuns before, NodeRuns after, IntUnaryOperator numbers) {
        throw new UnsupportedOperationException("a pass that does not say what it remembers");
    }

    /** How the nodes of the plan's graph ran so far. */
    NodeRuns runs();
}
