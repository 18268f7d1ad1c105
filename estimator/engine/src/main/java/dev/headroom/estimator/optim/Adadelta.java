package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.Adadelta}: mean squares of gradients and of updates, made in the first step
 * (torch/optim/adadelta.py).
 */
final class Adadelta extends KeepsTwo {
    Adadelta(OptimizerState state, Scenario run) {
        super(state, run, Gradients.of(state, run.optimizer().options()).namedFirst());
    }

    /** _single_tensor_adadelta. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable std = state.variable();
        Variable delta = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            std.bind(rt.emptyLike(state.kept(i, 0)));
            delta.bind(rt.emptyLike(state.kept(i, 1)));
        }
        List.of(grad, std, delta).forEach(Variable::delete);
    }

    /** _multi_tensor_adadelta. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable std = state.variable();
        Variable deltas = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            std.bind(state.roots(group, 0));
            deltas.bind(state.roots(group, 1));
        }
        List.of(grads, std, deltas).forEach(Variable::delete);
    }
}
