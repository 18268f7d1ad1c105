package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.SparseMomentum;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code torch.optim.SGD}: all in place without weight decay and momentum; with momentum, the first step copies each
 * gradient (torch/optim/sgd.py).
 */
final class Sgd implements Optimizer {
    private final OptimizerState state;
    private final EagerRuntime rt;
    private final SparseMomentum sparse;
    private final Implementation implementation;
    private final boolean momentum;
    private final Gradients gradients;
    private final boolean nesterov;

    Sgd(OptimizerState state, Scenario run) {
        this.state = state;
        this.rt = state.runtime();
        this.sparse = new SparseMomentum(state);
        this.implementation = Implementation.of(run);
        this.momentum = run.optimizer().kind() == OptimizerKind.SGD_MOMENTUM;
        this.gradients = Gradients.of(state, run.optimizer().options());
        this.nesterov = momentum && run.optimizer().options().nesterov();
    }

    @Override
    public void step() {
        List<Integer> stepped = implementation == Implementation.FUSED ? state.withGradient() : state.withAnyGradient();
        state.function(() -> {
            switch (implementation) {
                case FOR_LOOP -> singleTensor(stepped);
                case FOREACH -> state.groups(stepped).forEach(this::multiTensor);
                case FUSED -> fused(stepped);
            }
        });
    }

    /** _single_tensor_sgd. */
    private void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            if (momentum) {
                Tensor now = grad.value().get(0);
                scale(i, now);
                keepCopy(i, now);
                grad.bind(nesterov ? ahead(i, now) : state.kept(i, 0));
            }
            state.read(List.of(i), 1); // add_
        }
        grad.delete();
    }

    /** _multi_tensor_sgd, one group; with Nesterov momentum the gradients are changed in place. */
    private void multiTensor(List<Integer> group) {
        Variable grads = state.variable();
        gradients.bind(grads, group);
        if (momentum) {
            List<Tensor> buffers = new ArrayList<>();
            for (int n = 0; n < group.size(); n++) {
                scale(group.get(n), grads.value().get(n));
            }
            for (int n = 0; n < group.size(); n++) {
                keepCopy(group.get(n), grads.value().get(n));
                buffers.add(state.kept(group.get(n), 0));
            }
            if (!nesterov) {
                grads.bind(buffers);
            } else if (isSparse(group)) {
                aheadInPlace(group, grads);
            }
        }
        state.read(group, 1); // _foreach_add_
        // The next group binds the name before it makes anything, so it is as if it ended here.
        grads.delete();
    }

    /** _fused_sgd. */
    private void fused(List<Integer> stepped) {
        if (momentum) {
            stepped.forEach(i -> keepCopy(i, state.gradient(i)));
        }
    }

    private boolean isSparse(List<Integer> group) {
        return group.stream().anyMatch(i -> state.gradient(i).indices() != null);
    }

    private void aheadInPlace(List<Integer> group, Variable grads) {
        grads.delete();
        for (int i : group) {
            if (state.gradient(i).indices() != null) {
                sparse.aheadInPlace(i);
            }
        }
    }

    private Tensor ahead(int i, Tensor grad) {
        return grad.indices() == null
                ? OptimizerArithmetic.elementwise(rt, grad, state.kept(i, 0))
                : sparse.ahead(i, grad);
    }

    /** A dense buffer is scaled in place. */
    private void scale(int i, Tensor grad) {
        if (grad.indices() != null) {
            sparse.scale(i);
        }
    }

    private void keepCopy(int i, Tensor grad) {
        if (grad.indices() != null) {
            sparse.add(i, grad);
        } else if (state.isNew(i)) {
            state.addLike(i, grad);
        }
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
