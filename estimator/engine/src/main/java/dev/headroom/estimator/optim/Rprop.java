package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/**
 * {@code torch.optim.Rprop}: the gradient before and a step size for every element, made in the first step
 * (torch/optim/rprop.py).
 */
final class Rprop extends TwoForms {
    private final Gradients gradients;

    Rprop(OptimizerState state, Scenario run) {
        super(state, run);
        this.gradients =
                Gradients.withoutDecay(state, run.optimizer().options()).namedFirst();
    }

    /** Rprop._init_group: {@code zeros_like(p)} and {@code full_like(grad, lr)}. */
    @Override
    void initialise(int i) {
        state.addLike(i, state.parameter(i));
        state.addLike(i, state.gradient(i));
    }

    /** _single_tensor_rprop. */
    @Override
    void singleTensor(List<Integer> stepped) {
        Variable grad = state.variable();
        Variable sign = state.variable();
        for (int i : stepped) {
            gradients.bind(grad, i);
            Tensor product = rt.emptyLike(state.kept(i, 0));
            Tensor signs = rt.emptyLike(product);
            rt.free(product);
            sign.bind(signs);
            threshold(signs);
            grad.bind(rt.emptyLike(state.gradient(i))); // grad.clone()
            mask(signs);
            rt.free(rt.emptyLike(state.gradient(i))); // grad.sign()
        }
        grad.delete();
        sign.delete();
    }

    /** _multi_tensor_rprop: the loop's last sign outlives the list of signs. */
    @Override
    void multiTensor(List<Integer> stepped) {
        Variable signs = state.variable();
        Variable sign = state.variable();
        Variable updates = state.variable();
        for (List<Integer> group : state.groups(stepped)) {
            signs.bind(state.each(group, i -> rt.emptyLike(state.kept(i, 0))));
            for (Tensor each : signs.value()) {
                sign.bind(each);
                threshold(each);
            }
            for (int n = 0; n < group.size(); n++) {
                replace(signs.value().get(n));
            }
            signs.delete();
            updates.bind(state.roots(group, 0));
        }
        sign.delete();
        updates.delete();
    }

    /** {@code sign[sign.gt(0)] = etaplus}, and so for what is below and at 0. */
    private void threshold(Tensor signs) {
        for (int k = 0; k < 3; k++) {
            mask(signs);
        }
    }

    /**
     * {@code t[mask] = number}, which fills where the mask is true; of a scalar, whose mask is read back, the number
     * goes to the device (TensorIndexing.h; recorded where the masks are false).
     */
    private void mask(Tensor signs) {
        Tensor mask = rt.empty(DType.BOOL, signs.sizes());
        if (signs.dim() == 0) {
            rt.free(rt.empty(signs.dtype()));
        }
        rt.free(mask);
    }

    /** {@code torch.where(sign.eq(etaminus), 0, grad)}: the mask, the number on the device, and what comes of them. */
    private void replace(Tensor signs) {
        Tensor mask = rt.empty(DType.BOOL, signs.sizes());
        Tensor zero = rt.empty(signs.dtype());
        Tensor out = rt.emptyLike(signs);
        rt.free(zero);
        rt.free(mask);
        rt.free(out);
    }
}
