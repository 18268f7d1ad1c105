package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.Adam} and {@code AdamW}: two moments, with {@code amsgrad} a third tensor, made in the
 * first step; the step counter lies in host memory unless the kernel is fused (torch/optim/adam.py).
 */
final class Adam implements Optimizer {
    private final OptimizerState state;
    private final EagerRuntime rt;
    private final Implementation implementation;
    private final boolean amsgrad;
    private final Gradients gradients;

    Adam(OptimizerState state, Scenario run) {
        this.state = state;
        this.rt = state.runtime();
        this.implementation = Implementation.of(run);
        this.amsgrad = run.optimizer().options().amsgrad();
        // AdamW's decay is decoupled: it changes the parameters in place.
        this.gradients = run.optimizer().kind() == OptimizerKind.ADAM
                ? Gradients.of(state, run.optimizer().options())
                : Gradients.withoutDecay(state, run.optimizer().options());
    }

    @Override
    public void step() {
        List<Integer> stepped = state.withGradient();
        state.function(() -> {
            stepped.stream().filter(state::isNew).forEach(this::initialise);
            switch (implementation) {
                case FOR_LOOP -> singleTensor(stepped);
                case FOREACH -> multiTensor(stepped);
                case FUSED -> state.read(stepped, 1); // _fused_adam: all in place
            }
        });
    }

    /** Adam._init_group. */
    private void initialise(int i) {
        if (implementation == Implementation.FUSED) {
            state.add(i, DType.FLOAT32); // step
        }
        state.addLike(i, state.parameter(i));
        state.addLike(i, state.parameter(i));
        if (amsgrad) {
            state.addLike(i, state.parameter(i));
        }
    }

    /** _single_tensor_adam. */
    private void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable denom = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            state.read(List.of(i), 1); // lerp_
            state.read(List.of(i), 2); // addcmul_
            // (second_moment.sqrt() / bias_correction2_sqrt).add_(eps)
            Tensor root = rt.emptyLike(state.kept(i, secondMoment()));
            Tensor scaled = rt.emptyLike(root);
            rt.free(root);
            denom.bind(scaled);
        }
        grad.delete();
        denom.delete();
    }

    /** _multi_tensor_adam; in 2.0, the decayed gradients live as long as the roots, and adding eps makes a list. */
    private void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable roots = state.variable();
        Variable denom = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            gradients.bind(grads, group);
            state.read(group, 1); // _foreach_lerp_
            state.read(group, 2); // _foreach_addcmul_
            if (state.torch().foreachRootsInPlace()) {
                grads.delete();
            }
            roots.bind(state.roots(group, secondMoment()));
            if (!state.torch().foreachRootsInPlace()) {
                denom.bind(state.roots(group, secondMoment()));
            }
        }
        List.of(grads, roots, denom).forEach(Variable::delete);
    }

    private int secondMoment() {
        return amsgrad ? 2 : 1;
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
