package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code transformers.Adafactor} without a first moment, relative steps and scaling: gradient and parameter are
 * turned to float32 one after the other, and what a name of the loop holds lives until the next parameter binds
 * it anew (transformers 5.17, optimization.py). {@code galore_torch.GaLoreAdafactor} does the same with projections of
 * float32 gradients (galore_torch 1.0, adafactor.py).
 */
final class HfAdafactor implements Optimizer {
    private static final int ROW = 0;
    private static final int COLUMN = 1;
    private static final int VARIANCE = 0;

    private final OptimizerState state;
    private final EagerRuntime rt;

    /** {@code state["RMS"]}: the last norm of each parameter, a scalar that stays. */
    private final @Nullable Tensor[] sizes;

    private final Projection projection;

    HfAdafactor(OptimizerState state, int rank) {
        this.state = state;
        this.projection = new Projection(state, rank, false);
        this.rt = state.runtime();
        this.sizes = new Tensor[state.size()];
    }

    @Override
    public void project(Set<Tensor> parameters) {
        projection.of(parameters);
    }

    @Override
    public void step() {
        state.function(() -> {
            Variable grad = state.variable();
            Variable wide = state.variable();
            Variable update = state.variable();
            for (int i : state.withGradient()) {
                step(i, grad, wide, update);
            }
            List.of(grad, wide, update).forEach(Variable::delete);
        });
    }

    private void step(int i, Variable gradient, Variable wide, Variable named) {
        Tensor grad = asFloat(gradient, state.gradient(i));
        if (projection.has(i)) {
            grad = gradient.bind(projection.project(i, grad));
        }
        boolean factored = grad.dim() >= 2;
        if (state.isNew(i)) {
            initialise(i, grad, factored);
        }
        Tensor parameter = asFloat(wide, state.parameter(i));
        Tensor before = sizes[i];
        Tensor size = rt.hold(rms(rt, parameter));
        rt.free(size);
        sizes[i] = size;
        rt.release(before);
        named.bind(squares(rt, grad));
        if (factored) {
            rt.free(mean(named.value().get(0), -1));
            rt.free(mean(named.value().get(0), -2));
            named.bind(factors(rt, state.kept(i, ROW), state.kept(i, COLUMN), grad.sizes()));
        } else {
            named.bind(rt.emptyLike(state.kept(i, VARIANCE)));
        }
        Tensor update = named.value().get(0);
        Tensor last = rms(rt, update);
        rt.free(rt.emptyLike(last)); // divided by the threshold, and clamped in place
        rt.free(last);
        if (projection.has(i)) {
            update = named.bind(projection.back(i, update));
        }
        rt.free(rt.emptyLike(update)); // -update
    }

    /** {@code name = t}, and {@code name = name.float()} of half precision. */
    private Tensor asFloat(Variable name, Tensor t) {
        name.bind(List.of(t));
        return t.dtype().isReducedFloat() ? name.bind(rt.emptyLike(t, DType.FLOAT32)) : t;
    }

    private void initialise(int i, Tensor grad, boolean factored) {
        if (!factored) {
            state.addLike(i, grad);
            return;
        }
        long[] sizes = grad.sizes();
        int n = sizes.length;
        state.add(i, grad.dtype(), Arrays.copyOf(sizes, n - 1));
        state.add(
                i,
                grad.dtype(),
                LongStream.concat(Arrays.stream(sizes, 0, n - 2), LongStream.of(sizes[n - 1]))
                        .toArray());
    }

    /** _rms: {@code tensor.norm(2) / numel ** 0.5}. */
    static Tensor rms(EagerRuntime rt, Tensor t) {
        Tensor norm = OptimizerArithmetic.norm(rt, t);
        Tensor out = rt.emptyLike(norm);
        rt.free(norm);
        return out;
    }

    /** {@code grad ** 2 + eps}. */
    static Tensor squares(EagerRuntime rt, Tensor grad) {
        Tensor squared = rt.emptyLike(grad);
        Tensor out = rt.emptyLike(squared);
        rt.free(squared);
        return out;
    }

    private Tensor mean(Tensor t, int dim) {
        return OptimizerArithmetic.mean(rt, t, dim);
    }

    /** _approx_sq_grad: of rows and columns a matrix of these sizes. */
    static Tensor factors(EagerRuntime rt, Tensor row, Tensor column, long[] sizes) {
        Tensor mean = OptimizerArithmetic.mean(rt, row, -1);
        Tensor rows = rt.emptyLike(row);
        rt.free(mean);
        Tensor columns = rt.emptyLike(column);
        Tensor out = rt.empty(row.dtype(), sizes);
        rt.free(rows);
        rt.free(columns);
        return out;
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
