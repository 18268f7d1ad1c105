package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * {@code lomo_optim.Lomo} and {@code AdaLomo} 0.1.1: called from hooks of the backward pass, they step what has a
 * gradient, through float32 copies of gradient and parameter, and let go of the gradient at once. AdaLomo keeps the
 * squares' rows and columns of every parameter, made with the optimizer.
 */
final class Lomo implements Optimizer {
    private static final int ROW = 0;
    private static final int COLUMN = 1;

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final boolean adaptive;

    /** @param adaptive AdaLomo */
    Lomo(OptimizerState state, boolean adaptive) {
        this.state = state;
        this.rt = state.runtime();
        this.adaptive = adaptive;
        if (adaptive) {
            state.function(() -> state.all().forEach(this::initialise));
        }
    }

    /** A scale and a matrix have their first size; of a matrix there are columns as well. */
    private void initialise(int i) {
        Tensor p = state.parameter(i);
        state.add(i, DType.FLOAT32, p.size(0));
        if (p.dim() > 1) {
            state.add(i, DType.FLOAT32, p.size(1));
        }
    }

    /** {@code fuse_update}. */
    @Override
    public void step() {
        state.function(() -> {
            Variable grad = state.variable();
            Variable update = state.variable();
            Variable parameter = state.variable();
            Variable size = state.variable();
            for (int i : state.withGradient()) {
                Tensor wide = grad.bind(asFloat(state.gradient(i)));
                rt.setGrad(state.parameter(i), null);
                if (adaptive) {
                    adapt(i, wide, update);
                }
                Tensor p = parameter.bind(asFloat(state.parameter(i)));
                if (adaptive) {
                    size.bind(HfAdafactor.rms(rt, p));
                    rt.free(rt.empty(DType.BOOL)); // max(eps, size)
                }
            }
            List.of(grad, update, parameter, size).forEach(Variable::delete);
        });
    }

    private void adapt(int i, Tensor grad, Variable named) {
        Tensor update = named.bind(HfAdafactor.squares(rt, grad));
        if (grad.dim() > 1) {
            rt.free(OptimizerArithmetic.mean(rt, update, -1));
            rt.free(OptimizerArithmetic.mean(rt, update, -2));
            named.bind(HfAdafactor.factors(rt, state.kept(i, ROW), state.kept(i, COLUMN), grad.sizes()));
        } else {
            named.bind(rt.emptyLike(state.kept(i, ROW)));
        }
        Tensor last = HfAdafactor.rms(rt, named.value().get(0));
        rt.free(rt.emptyLike(last)); // divided by the threshold, and clamped in place
        rt.free(last);
    }

    /** {@code t.to(torch.float32)}: a local variable, or the tensor itself. */
    private Tensor asFloat(Tensor t) {
        return t.dtype() == DType.FLOAT32 ? t : rt.emptyLike(t, DType.FLOAT32);
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
