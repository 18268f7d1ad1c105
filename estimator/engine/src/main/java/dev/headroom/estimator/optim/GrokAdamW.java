package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/**
 * {@code grokadamw.GrokAdamW} 0.1: both moments and an average of the gradient live in host memory, and those of one
 * parameter come to the device while it is stepped; its gradient is clipped on its own.
 */
final class GrokAdamW implements Optimizer {
    private final OptimizerState state;
    private final EagerRuntime rt;

    GrokAdamW(OptimizerState state) {
        this.state = state;
        this.rt = state.runtime();
    }

    /** _update_group. */
    @Override
    public void step() {
        state.function(() -> {
            Variable first = state.variable();
            Variable second = state.variable();
            Variable average = state.variable();
            Variable grad = state.variable();
            for (int i : state.withGradient()) {
                Tensor p = state.parameter(i);
                Tensor moment = rt.emptyLike(p);
                second.bind(rt.emptyLike(p));
                first.bind(moment);
                average.bind(rt.emptyLike(p));
                clip(state.gradient(i));
                Tensor scaled = rt.emptyLike(p);
                Tensor sum = rt.emptyLike(p);
                rt.free(scaled);
                grad.bind(sum);
                rt.free(rt.emptyLike(p)); // exp_avg_sq.sqrt()
            }
            List.of(first, second, average, grad).forEach(Variable::delete);
        });
    }

    /** {@code clip_grad_norm_} of one parameter. */
    private void clip(Tensor gradient) {
        List<Tensor> norms = OptimizerArithmetic.scalarNorms(rt, List.of(gradient));
        Tensor stacked = rt.emptyLike(norms.get(0));
        Tensor total = rt.emptyLike(norms.get(0));
        rt.free(stacked);
        rt.freeAll(norms);
        Tensor sum = rt.emptyLike(total);
        Tensor reciprocal = rt.emptyLike(total);
        Tensor coefficient = rt.emptyLike(total);
        rt.free(reciprocal);
        rt.free(sum);
        Tensor clamped = rt.emptyLike(total);
        rt.free(coefficient);
        rt.free(clamped);
        rt.free(total);
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
