package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.SparseGradient;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.Adagrad}: sums of squares, made by the constructor for every parameter, frozen ones included
 * (torch/optim/adagrad.py).
 */
final class Adagrad implements Optimizer {
    private final OptimizerState state;
    private final EagerRuntime rt;
    private final Implementation implementation;
    private final Gradients gradients;
    private final int sum;

    Adagrad(OptimizerState state, Scenario run) {
        this.state = state;
        this.rt = state.runtime();
        this.implementation = Implementation.of(run);
        this.gradients = Gradients.of(state, run.optimizer().options()).namedFirst();
        boolean fused = implementation == Implementation.FUSED;
        this.sum = fused ? 1 : 0;
        state.function(() -> {
            for (int i = 0; i < state.size(); i++) {
                if (fused) {
                    state.add(i, DType.FLOAT32); // step
                }
                state.addLike(i, state.parameter(i));
            }
            if (!fused && run.trainer().loop().isTrainer()) {
                // accelerate brings what the constructor made to the device (optimizer.py, AcceleratedOptimizer).
                state.all().forEach(i -> state.add(i, DType.FLOAT32)); // step
            }
        });
    }

    @Override
    public void step() {
        List<Integer> stepped = implementation == Implementation.FUSED ? state.withGradient() : state.withAnyGradient();
        state.function(() -> {
            switch (implementation) {
                case FOR_LOOP -> singleTensor(stepped);
                case FOREACH -> multiTensor(stepped);
                case FUSED -> state.read(stepped, 1); // _fused_adagrad: all in place
            }
        });
    }

    /** _single_tensor_adagrad; the loop's own variable binds the next gradient before anything is made. */
    private void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable std = state.variable();
        Variable stdValues = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            if (state.gradient(i).indices() != null) {
                rows(grad, std, stdValues);
                continue;
            }
            state.read(List.of(i), 2); // addcmul_
            std.bind(rt.emptyLike(state.kept(i, sum)));
            state.read(List.of(i), 1); // addcdiv_
        }
        std.delete();
        stdValues.delete();
        grad.delete();
    }

    /** The rows of a sparse gradient, each of them once. */
    private void rows(Variable grad, Variable std, Variable stdValues) {
        Tensor once = grad.bind(SparseGradient.coalesced(rt, grad.value().get(0)));
        rt.free(rt.emptyLike(once)); // grad_values.pow(2)
        std.bind(SparseGradient.masked(rt, once));
        stdValues.bind(rt.detach(std.value().get(0)));
        rt.free(rt.emptyLike(once)); // grad_values / std_values
    }

    /** _multi_tensor_adagrad: scaled gradients beside the roots; decayed gradients are scaled in place. */
    private void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable std = state.variable();
        Variable numerator = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            if (group.stream().anyMatch(i -> state.gradient(i).indices() != null)) {
                singleTensor(group);
                continue;
            }
            gradients.bind(grads, group);
            if (!state.torch().foreachRootsInPlace()) {
                outOfPlace(group, std, numerator);
                continue;
            }
            state.read(group, 2); // _foreach_addcmul_
            std.bind(state.roots(group, sum));
            List<Tensor> scaled = grads.value();
            numerator.bind(gradients.fresh() ? scaled : state.each(group, i -> rt.emptyLike(state.gradient(i))));
            state.read(group, 1); // _foreach_addcdiv_
        }
        grads.delete();
        std.delete();
        numerator.delete();
    }

    /** The same in 2.0: adding eps, scaling and dividing each make a list. */
    private void outOfPlace(List<Integer> group, Variable std, Variable toAdd) {
        List<Tensor> roots = state.roots(group, sum);
        List<Tensor> raised = state.roots(group, sum);
        rt.freeAll(roots);
        std.bind(raised);
        List<Tensor> scaled = state.each(group, i -> rt.emptyLike(state.gradient(i)));
        List<Tensor> quotients = state.each(group, i -> rt.emptyLike(state.gradient(i)));
        rt.freeAll(scaled);
        toAdd.bind(quotients);
    }

    @Override
    public boolean showsAll() {
        return true;
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
