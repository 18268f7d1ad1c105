package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.ASGD}: an average of the parameters, and three numbers on the device for each, made in the first
 * step (torch/optim/asgd.py). As long as averaging has not begun, a million steps by default, the average is a plain
 * copy.
 */
final class Asgd extends TwoForms {
    /** Where the average is in a parameter's state. */
    private static final int AVERAGE = 3;

    private final Gradients gradients;

    /** Lists of tensors decay what was made of the gradients, not these. */
    private final Gradients undecayed;

    private final boolean decaysInPlace;

    Asgd(OptimizerState state, Scenario run) {
        super(state, run);
        this.gradients = Gradients.of(state, run.optimizer().options()).namedFirst();
        OptimizerOptions options = run.optimizer().options();
        this.undecayed = Gradients.withoutDecay(state, options);
        this.decaysInPlace = options.weightDecay() && undecayed.fresh();
    }

    /** ASGD._init_group: step, eta (which is cloned), mu and ax. */
    @Override
    void initialise(int i) {
        state.add(i, DType.FLOAT32);
        Tensor rate = number();
        state.add(i, DType.FLOAT32);
        rt.free(rate);
        state.add(i, DType.FLOAT32);
        state.addLike(i, state.parameter(i));
    }

    /** A number on the device. */
    private Tensor number() {
        return rt.empty(DType.FLOAT32);
    }

    /** _single_tensor_asgd. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
        }
        grad.delete();
    }

    /** _multi_tensor_asgd. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable between = state.variable();
        Variable rates = state.variable();
        Variable weights = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            undecayed.bind(grads, group);
            if (!decaysInPlace) {
                between.bind(state.each(group, i -> state.decayed(i, state.gradient(i))));
            }
            between.delete();
            between.bind(state.roots(group, AVERAGE)); // torch._foreach_sub(params, axs)
            between.delete();
            rates.bind(state.each(group, i -> rate()));
            weights.bind(state.each(group, i -> number()));
        }
        List.of(grads, rates, weights).forEach(Variable::delete);
    }

    /** {@code lr / ((1 + lambd * lr * step) ** alpha)}; a number over a tensor is the reciprocal times the number. */
    private Tensor rate() {
        Tensor scaled = number();
        Tensor raised = number();
        rt.free(scaled);
        Tensor power = number();
        rt.free(raised);
        Tensor reciprocal = number();
        Tensor out = number();
        rt.free(reciprocal);
        rt.free(power);
        return out;
    }
}
