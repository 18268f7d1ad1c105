package dev.headroom.estimator.optim;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.Adamax}: a moment and an infinity norm, made in the first step (torch/optim/adamax.py).
 */
final class Adamax implements Optimizer {
    private final OptimizerState state;
    private final EagerRuntime rt;
    private final Implementation implementation;
    private final Gradients gradients;

    Adamax(OptimizerState state, Scenario run) {
        this.state = state;
        this.rt = state.runtime();
        this.implementation = Implementation.of(run);
        this.gradients = Gradients.of(state, run.optimizer().options()).namedFirst();
    }

    @Override
    public void step() {
        List<Integer> stepped = state.withGradient();
        state.function(() -> {
            stepped.stream().filter(state::isNew).forEach(this::initialise);
            if (implementation == Implementation.FOREACH) {
                multiTensor(stepped);
            } else {
                singleTensor(stepped);
            }
        });
    }

    /** Adamax._init_group; the step counter lies in host memory. */
    private void initialise(int i) {
        state.addLike(i, state.parameter(i));
        state.addLike(i, state.parameter(i));
    }

    /** _single_tensor_adamax. */
    private void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            rt.free(rt.emptyLike(grad.value().get(0))); // grad.abs().add_(eps)
        }
        grad.delete();
    }

    /** _multi_tensor_adamax: absolute values in place where the gradients are fresh. */
    private void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            if (!gradients.fresh()) {
                grads.bind(state.each(group, i -> rt.emptyLike(state.gradient(i))));
            }
        }
        grads.delete();
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
