package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.NAdam}: two moments, made in the first step (torch/optim/nadam.py).
 */
final class NAdam extends KeepsTwo {
    NAdam(OptimizerState state, Scenario run) {
        super(state, run, Gradients.of(state, run.optimizer().options()));
    }

    /** _single_tensor_nadam. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable denom = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            // exp_avg_sq.div(bias_correction2).sqrt()
            Tensor scaled = rt.emptyLike(state.kept(i, 1));
            Tensor root = rt.emptyLike(scaled);
            rt.free(scaled);
            denom.bind(root);
        }
        grad.delete();
        denom.delete();
    }

    /** _multi_tensor_nadam. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable roots = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            roots.bind(state.roots(group, 1));
        }
        grads.delete();
        roots.delete();
    }
}
