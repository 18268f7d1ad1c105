package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.model.scenario.Scenario;

/** What optimizers share that keep two tensors like each parameter, made in its first step. */
abstract class KeepsTwo extends TwoForms {
    final Gradients gradients;

    KeepsTwo(OptimizerState state, Scenario run, Gradients gradients) {
        super(state, run);
        this.gradients = gradients;
    }

    /** As _init_group; the step counter lies in host memory. */
    @Override
    final void initialise(int i) {
        state.addLike(i, state.parameter(i));
        state.addLike(i, state.parameter(i));
    }
}
