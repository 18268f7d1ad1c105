package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * {@code torch.optim.SparseAdam}: moments as large as the parameter, made in the first step, and a step of the rows
 * that a gradient names (torch/optim/_functional.py, sparse_adam). How many of them are distinct is in the data: all
 * are taken to be.
 */
final class SparseAdam implements Optimizer {
    /** What thrust takes beside the keys and values that it sorts, and to find the distinct ones. */
    private static final long ALIGNMENT = 511;

    private static final long UNIQUE_SCRATCH = 1535;

    private final OptimizerState state;
    private final EagerRuntime rt;

    SparseAdam(OptimizerState state) {
        this.state = state;
        this.rt = state.runtime();
    }

    @Override
    public void step() {
        state.function(() -> {
            for (int i : state.withGradient()) {
                if (state.gradient(i).indices() == null) {
                    throw new UserInputException("`optimizer=sparse-adam`: SparseAdam does not take the dense gradient"
                            + " of a parameter (torch/optim/sparse_adam.py); make its embedding sparse=True");
                }
                if (state.isNew(i)) {
                    state.addLike(i, state.parameter(i));
                    state.addLike(i, state.parameter(i));
                }
            }
            state.withGradient().forEach(this::update);
        });
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }

    private void update(int i) {
        Tensor grad = state.gradient(i);
        long rows = grad.size(0);
        Tensor indices = rt.empty(DType.INT64, rows);
        Tensor values = coalesced(grad, rows);
        Tensor old = rt.emptyLike(values); // sparse_mask
        Tensor update = rt.emptyLike(values);
        Tensor oldSquare = rt.emptyLike(values);
        Tensor square = rt.emptyLike(values);
        rt.free(oldSquare);
        rt.free(old);
        rt.free(rt.emptyLike(values)); // -step_size * numer
        rt.free(square);
        rt.free(update);
        rt.free(values);
        rt.free(indices);
    }

    /** coalesce_sparse_cuda (ATen/native/sparse/cuda/SparseCUDATensor.cu), of indices that were copied before. */
    private Tensor coalesced(Tensor grad, long rows) {
        Tensor origins = rt.empty(DType.INT64, rows);
        Tensor offsets = rt.empty(DType.INT64, rows);
        rt.free(rt.scratch(2L * DType.INT64.bytes() * rows + ALIGNMENT));
        rt.free(rt.scratch(UNIQUE_SCRATCH));
        Tensor values = rt.emptyLike(grad);
        rt.free(offsets);
        rt.free(origins);
        return values;
    }
}
