package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * {@code optimi.StableAdamW} of torch-optimi 0.3 with its Triton kernels, which work in place: two moments, scalars,
 * and for parameters of half precision what their rounding lost.
 */
final class StableAdamW implements Optimizer {
    private final OptimizerState state;

    StableAdamW(OptimizerState state) {
        this.state = state;
    }

    @Override
    public void step() {
        state.function(() -> state.withGradient().stream().filter(state::isNew).forEach(this::initialise));
    }

    /** _init_state. */
    private void initialise(int i) {
        Tensor p = state.parameter(i);
        state.addLike(i, p);
        state.addLike(i, p);
        state.add(i, p.dtype()); // eps_sq
        if (p.dtype().isReducedFloat()) {
            state.addLike(i, p); // kahan_comp
        } else {
            state.add(i, DType.UINT8, 1);
        }
        state.add(i, DType.FLOAT32, 1); // mean_square
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
