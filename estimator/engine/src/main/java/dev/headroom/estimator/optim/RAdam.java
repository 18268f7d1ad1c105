package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.RAdam}: two moments, made in the first step; one parameter after the other, the variance is
 * rectified from the sixth step of each on (torch/optim/radam.py).
 */
final class RAdam extends KeepsTwo {
    /** rho_t is above 5 then, with the default betas. */
    private static final int RECTIFIED_FROM = 6;

    private final int[] steps;

    RAdam(OptimizerState state, Scenario run) {
        super(state, run, Gradients.of(state, run.optimizer().options()));
        this.steps = new int[state.size()];
    }

    /** _single_tensor_radam. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable corrected = state.variable();
        for (int i : stepped) {
            steps[i]++;
            gradients.bind(grad, i);
            corrected.bind(rt.emptyLike(state.kept(i, 0)));
            Tensor update = rt.emptyLike(state.kept(i, 0)); // bias_corrected_exp_avg * lr
            rt.free(steps[i] >= RECTIFIED_FROM ? rectified(update, i) : update);
        }
        grad.delete();
        corrected.delete();
    }

    /**
     * {@code update * _compute_adaptive_lr() * _compute_rect()}; a number over a tensor is the reciprocal times the
     * number.
     */
    private Tensor rectified(Tensor update, int i) {
        Tensor root = rt.emptyLike(state.kept(i, 1));
        Tensor reciprocal = rt.emptyLike(root);
        Tensor rate = rt.emptyLike(root);
        rt.free(reciprocal);
        rt.free(root);
        Tensor adapted = rt.emptyLike(update);
        rt.free(update);
        rt.free(rate);
        Tensor out = rt.emptyLike(adapted);
        rt.free(adapted);
        return out;
    }

    /** _multi_tensor_radam: rectified or not, the same lists. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable buffer = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            grads.delete();
            buffer.bind(state.roots(group, 1));
        }
        buffer.delete();
    }

    /** The first steps are others than those that follow. */
    @Override
    public boolean showsAll() {
        return false;
    }
}
