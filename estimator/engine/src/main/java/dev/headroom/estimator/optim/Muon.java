package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * {@code torch.optim.Muon}: a momentum for each matrix, whose update is made orthogonal in bfloat16 by five
 * Newton-Schulz iterations, one matrix after the other (torch/optim/_muon.py).
 */
final class Muon implements Optimizer {
    private static final int ITERATIONS = 5;

    private final OptimizerState state;
    private final EagerRuntime rt;

    /** @throws UserInputException for parameters that are no matrices, as the constructor refuses them */
    Muon(OptimizerState state) {
        this.state = state;
        this.rt = state.runtime();
        for (int i = 0; i < state.size(); i++) {
            if (state.parameter(i).dim() != 2) {
                throw new UserInputException("`optimizer=muon`: torch.optim.Muon takes matrices alone, and the model"
                        + " has other parameters; give those to another one with `param_group` (docs/predict.md)");
            }
        }
    }

    /** Muon._init_group, then _single_tensor_muon. */
    @Override
    public void step() {
        List<Integer> stepped = state.withGradient();
        state.function(() -> {
            stepped.stream().filter(state::isNew).forEach(i -> state.addLike(i, state.gradient(i)));
            Variable update = state.variable();
            for (int i : stepped) {
                update.bind(rt.emptyLike(state.gradient(i))); // grad.lerp(buf, momentum)
                update.bind(orthogonal(update.value().get(0)));
            }
            update.delete();
        });
    }

    /** _zeropower_via_newtonschulz: a fresh tensor for the running frame. */
    private Tensor orthogonal(Tensor gradient) {
        Variable result = state.variable();
        Variable gram = state.variable();
        Variable change = state.variable();
        Tensor lowered = OptimizerArithmetic.to(rt, gradient, DType.BFLOAT16);
        if (lowered == gradient) {
            rt.hold(lowered);
        }
        result.bind(lowered);
        boolean tall = gradient.size(0) > gradient.size(1);
        if (tall) {
            result.bind(OptimizerArithmetic.transposed(rt, result.value().get(0)));
        }
        Tensor norm = OptimizerArithmetic.norm(rt, result.value().get(0));
        Tensor clamped = rt.emptyLike(norm);
        rt.free(norm);
        rt.free(clamped);
        for (int k = 0; k < ITERATIONS; k++) {
            Tensor x = result.value().get(0);
            Tensor transposed = OptimizerArithmetic.transposed(rt, x);
            gram.bind(OptimizerArithmetic.matmul(rt, x, transposed));
            rt.free(transposed);
            Tensor g = gram.value().get(0);
            change.bind(OptimizerArithmetic.matmul(rt, g, g)); // addmm
            result.bind(OptimizerArithmetic.matmul(rt, change.value().get(0), x)); // addmm
        }
        if (tall) {
            result.bind(OptimizerArithmetic.transposed(rt, result.value().get(0)));
        }
        gram.delete();
        change.delete();
        Tensor out = rt.hold(result.value().get(0));
        result.delete();
        rt.adopt(out);
        return out;
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
