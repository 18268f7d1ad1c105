package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.Adamax}: a moment and an infinity norm, made in the first step (torch/optim/adamax.py).
 */
final class Adamax extends KeepsTwo {
    Adamax(OptimizerState state, Scenario run) {
        super(state, run, Gradients.of(state, run.optimizer().options()).namedFirst());
    }

    /** _single_tensor_adamax. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            rt.free(rt.emptyLike(grad.value().get(0))); // grad.abs().add_(eps)
        }
        grad.delete();
    }

    /** _multi_tensor_adamax: absolute values in place where the gradients are fresh. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            if (!gradients.fresh()) {
                grads.bind(state.each(group, i -> rt.emptyLike(state.gradient(i))));
            }
        }
        grads.delete();
    }
}
