package dev.headroom.estimator.optim;

import dev.headroom.model.scenario.OptimizerOptions;
import java.util.List;

/**
 * The gradients that a step works with, as the functions of torch/optim/*.py begin: those of the parameters, or fresh tensors
 * where weight decay is added to them.
 */
final class Gradients {
    private final OptimizerState state;
    private final boolean decays;

    private Gradients(OptimizerState state, boolean decays) {
        this.state = state;
        this.decays = decays;
    }

    /** Of an optimizer that adds weight decay to gradients. */
    static Gradients of(OptimizerState state, OptimizerOptions options) {
        return new Gradients(state, options.weightDecay());
    }

    /** Of an optimizer that shrinks parameters in place. */
    static Gradients withoutDecay(OptimizerState state, OptimizerOptions options) {
        return new Gradients(state, false);
    }

    /** The same where the loop names a gradient before it makes anything of it, which lets go of the one before. */
    Gradients namedFirst() {
        return this;
    }

    /** Whether they are fresh, so that what follows may change them in place. */
    boolean fresh() {
        return decays;
    }

    /** Names the gradient of a parameter, as {@code _single_tensor_*} do. */
    void bind(Variable grad, int i) {
        grad.bind(state.gradient(i));
        if (decays) {
            grad.bind(state.decayed(i, grad.value().get(0)));
        }
    }

    /** Names those of a group, as {@code _multi_tensor_*} do. */
    void bind(Variable grads, List<Integer> group) {
        grads.bind(state.each(group, state::gradient));
        if (decays) {
            grads.bind(state.each(group, i -> state.decayed(i, state.gradient(i))));
        }
    }
}
