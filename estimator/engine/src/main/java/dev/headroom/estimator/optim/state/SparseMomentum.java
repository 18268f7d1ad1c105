package dev.headroom.estimator.optim.state;

import dev.headroom.estimator.runtime.Tensor;

/**
 * SGD's momentum of a sparse gradient: a sparse buffer that gets the rows of every step behind those that it has
 * (torch/optim/sgd.py), so it grows with each.
 */
public final class SparseMomentum {
    private final OptimizerState state;

    public SparseMomentum(OptimizerState state) {
        this.state = state;
    }

    /** {@code buf.mul_(momentum)}; nothing in the first step. */
    public void scale(int i) {
        if (!state.isNew(i)) {
            state.function(() -> state.replace(i, SparseGradient.scaled(state.runtime(), state.kept(i, 0))));
        }
    }

    /** {@code buf.add_(grad)}; in the first step a copy of the gradient. */
    public void add(int i, Tensor grad) {
        state.function(() -> {
            if (state.isNew(i)) {
                state.keep(i, SparseGradient.copy(state.runtime(), grad));
            } else {
                state.replace(i, SparseGradient.joined(state.runtime(), state.kept(i, 0), grad, false));
            }
        });
    }

    /** {@code grad.add(buf, alpha=momentum)}, which is all that Nesterov's momentum takes. */
    public Tensor ahead(int i, Tensor grad) {
        return SparseGradient.joined(state.runtime(), grad, state.kept(i, 0), true);
    }

    /** The same in place of the parameter's gradient. */
    public void aheadInPlace(int i) {
        state.function(() -> state.runtime().setGrad(state.parameter(i), ahead(i, state.gradient(i))));
    }
}
