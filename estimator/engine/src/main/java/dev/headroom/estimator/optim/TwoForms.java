package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * An optimizer as most of torch/optim/*.py are written: {@code _init_group} makes the state of parameters that have
 * none, then one function steps one parameter after the other, or another all of a group at once.
 */
abstract class TwoForms implements Optimizer {
    /** Parameters and their state. */
    final OptimizerState state;

    final EagerRuntime rt;
    private final Implementation implementation;

    TwoForms(OptimizerState state, Scenario run) {
        this.state = state;
        this.rt = state.runtime();
        this.implementation = Implementation.of(run);
    }

    /** Makes the state of a parameter, in its first step: {@code _init_group}. */
    abstract void initialise(int i);

    /** {@code _single_tensor_*}, of the parameters that have a gradient. */
    abstract void singleTensor(List<Integer> stepped);

    /** {@code _multi_tensor_*}, of the same. */
    abstract void multiTensor(List<Integer> stepped);

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

    @Override
    public boolean showsAll() {
        return true;
    }

    @Override
    public final List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
