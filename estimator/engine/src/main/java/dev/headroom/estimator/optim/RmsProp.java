package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.model.scenario.OptimizerOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.RMSprop}: the mean square of the gradients, with momentum a buffer and when centred their mean,
 * made in the first step (torch/optim/rmsprop.py).
 */
final class RmsProp extends TwoForms {
    private final OptimizerOptions options;
    private final Gradients gradients;

    RmsProp(OptimizerState state, Scenario run) {
        super(state, run);
        this.options = run.optimizer().options();
        this.gradients = Gradients.of(state, options).namedFirst();
    }

    /** RMSprop._init_group. */
    @Override
    void initialise(int i) {
        state.addLike(i, state.parameter(i));
        if (options.momentum()) {
            state.addLike(i, state.parameter(i));
        }
        if (options.centered()) {
            state.addLike(i, state.parameter(i));
        }
    }

    /** _single_tensor_rmsprop: one fresh tensor a parameter, whether centred or not. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable avg = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            state.read(List.of(i), 2); // addcmul_
            if (options.centered()) {
                state.read(List.of(i), 1); // lerp_
            }
            avg.bind(rt.emptyLike(state.kept(i, 0)));
            state.read(List.of(i), 1); // addcdiv_, or add to the momentum
        }
        grad.delete();
        avg.delete();
    }

    /** _multi_tensor_rmsprop. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable avg = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            state.read(group, 2); // _foreach_addcmul_
            if (options.centered()) {
                state.read(group, 1); // _foreach_lerp_
            }
            avg.bind(state.roots(group, 0));
            state.read(group, 1); // _foreach_addcdiv_
        }
        grads.delete();
        avg.delete();
    }
}
