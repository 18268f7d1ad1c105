package dev.headroom.estimator.optim;

import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/** What one {@code step()} of an optimizer does to memory: state that it makes, temporaries that it takes. */
public interface Optimizer {
    /** Steps all parameters that have a gradient. */
    void step();

    /** The state of a parameter so far, by its position in the list that the optimizer was made with. */
    List<Tensor> state(int parameter);

    /** Bytes of a parameter's state. */
    default long stateBytes(int parameter) {
        return state(parameter).stream().mapToLong(Tensor::nbytes).sum();
    }
}
