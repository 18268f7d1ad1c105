package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.Tensor;
import java.util.Map;

/** {@code model(inputs)}. */
public interface ForwardPass {
    /**
     * Calls the model.
     *
     * @param inputs by value name: parameters, buffers, the user's; borrowed
     * @return the user's outputs in order, each with a reference for the caller; {@code null} for one that is no tensor
     */
    Tensor[] run(Map<String, Tensor> inputs);

    /** How the nodes of the plan's graph ran so far. */
    NodeRuns runs();
}
