package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.SparseGradient;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.List;

/**
 * {@code torch.optim.SparseAdam}: moments as large as the parameter, made in the first step, and a step of the rows
 * that a gradient names (torch/optim/_functional.py, sparse_adam). How many of them are distinct is in the data: all
 * are taken to be.
 */
final class SparseAdam implements Optimizer {
    private final OptimizerState state;
    private final EagerRuntime rt;

    SparseAdam(OptimizerState state) {
        this.state = state;
        this.rt = state.runtime();
    }

    @Override
    public void step() {
        state.function(() -> {
            for (int i : state.withAnyGradient()) {
                if (state.gradient(i).indices() == null) {
                    throw new UserInputException("`optimizer=sparse-adam`: SparseAdam does not take the dense gradient"
                            + " of a parameter (torch/optim/sparse_adam.py); make its embedding sparse=True");
                }
                if (state.isNew(i)) {
                    state.addLike(i, state.parameter(i));
                    state.addLike(i, state.parameter(i));
                }
            }
            state.withAnyGradient().forEach(this::update);
        });
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }

    private void update(int i) {
        Tensor grad = SparseGradient.coalesced(rt, state.gradient(i));
        Tensor old = valuesAt(grad);
        Tensor update = rt.emptyLike(grad);
        Tensor oldSquare = valuesAt(grad);
        Tensor square = rt.emptyLike(grad);
        rt.free(rt.emptyLike(grad)); // -step_size * numer
        rt.free(old);
        rt.free(oldSquare);
        rt.free(update);
        rt.free(square);
        rt.free(grad);
    }

    /** {@code table.sparse_mask(grad)._values()}. */
    private Tensor valuesAt(Tensor grad) {
        Tensor masked = SparseGradient.masked(rt, grad);
        Tensor values = rt.detach(masked);
        rt.free(masked);
        return values;
    }
}
