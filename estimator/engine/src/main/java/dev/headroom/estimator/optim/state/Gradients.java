package dev.headroom.estimator.optim.state;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.OptimizerOptions;
import java.util.List;

/**
 * The gradients that a step works with, as the functions of torch/optim/*.py begin: those of the parameters, or fresh
 * tensors where they are negated or weight decay is added to them.
 */
public final class Gradients {
    private final OptimizerState state;
    private final boolean negates;
    private final boolean decays;
    private final boolean namedFirst;

    private Gradients(OptimizerState state, boolean negates, boolean decays, boolean namedFirst) {
        this.state = state;
        this.negates = negates;
        this.decays = decays;
        this.namedFirst = namedFirst;
    }

    /** Of an optimizer that adds weight decay to gradients; its loop begins {@code grad = -grads[i]}. */
    public static Gradients of(OptimizerState state, OptimizerOptions options) {
        return new Gradients(state, options.maximize(), options.weightDecay(), false);
    }

    /** Of an optimizer that shrinks parameters in place. */
    public static Gradients withoutDecay(OptimizerState state, OptimizerOptions options) {
        return new Gradients(state, options.maximize(), false, false);
    }

    /** The same where the loop names the gradient before it negates it, which lets go of the one before. */
    public Gradients namedFirst() {
        return new Gradients(state, negates, decays, true);
    }

    /** Whether they are fresh, so that what follows may change them in place. */
    public boolean fresh() {
        return negates || decays;
    }

    /** Names the gradient of a parameter, as {@code _single_tensor_*} do. */
    public void bind(Variable grad, int i) {
        if (namedFirst || !negates) {
            grad.bind(state.gradient(i));
        }
        if (negates) {
            grad.bind(negated(i));
        }
        if (decays) {
            grad.bind(state.decayed(i, grad.value().get(0)));
        }
    }

    /** Names those of a group, as {@code _multi_tensor_*} do: decay is added in place to what was negated. */
    public void bind(Variable grads, List<Integer> group) {
        grads.bind(state.each(group, state::gradient));
        if (negates) {
            grads.bind(state.each(group, this::negated));
        } else if (decays) {
            grads.bind(state.each(group, i -> state.decayed(i, state.gradient(i))));
        }
    }

    /** {@code -grad}. */
    private Tensor negated(int i) {
        if (state.gradient(i).indices() != null) {
            return SparseGradient.copy(state.runtime(), state.gradient(i));
        }
        return OptimizerArithmetic.elementwise(state.runtime(), state.gradient(i));
    }
}
