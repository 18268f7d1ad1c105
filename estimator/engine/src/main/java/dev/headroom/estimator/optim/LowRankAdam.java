package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * {@code galore_torch.GaLoreAdamW} and {@code apollo_torch.APOLLOAdamW} (adamw.py, apollo.py): one parameter after the
 * other, what a name of the loop holds lives until the next one binds it. Of projected gradients GaLore makes the
 * update and projects it back; APOLLO makes factors, by which the gradient itself is scaled.
 */
final class LowRankAdam implements Optimizer {
    private static final int SQUARES = 1;

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final Projection projection;
    private final boolean scales;

    /** {@code state["scaled_grad"]}: the last norm of a parameter's update. */
    private final Map<Integer, Tensor> norms = new HashMap<>();

    /** @param scales APOLLO's way */
    LowRankAdam(OptimizerState state, int rank, boolean scales) {
        this.state = state;
        this.rt = state.runtime();
        this.projection = new Projection(state, rank, scales);
        this.scales = scales;
    }

    @Override
    public void project(Set<Tensor> parameters) {
        projection.of(parameters);
    }

    @Override
    public void step() {
        state.function(() -> {
            Names names = new Names(state);
            for (int i : state.withGradient()) {
                step(i, names);
            }
            names.all().forEach(Variable::delete);
        });
    }

    private void step(int i, Names names) {
        boolean projected = projection.has(i);
        names.grad.bind(List.of(state.gradient(i)));
        if (projected) {
            names.grad.bind(projection.project(i, state.gradient(i)));
        }
        Tensor grad = names.grad.value().get(0);
        if (state.isNew(i)) {
            state.addLike(i, grad);
            state.addLike(i, grad);
        }
        names.denom.bind(rt.emptyLike(state.kept(i, SQUARES)));
        Tensor update = names.update.bind(rt.emptyLike(state.kept(i, 0)));
        if (projected && scales) {
            scale(i, grad, update, names);
        } else if (projected) {
            names.update.bind(projection.back(i, update));
        }
    }

    /** Steps 3 and 4 of apollo.py, with the limiter of growing norms. */
    private void scale(int i, Tensor grad, Tensor update, Names names) {
        boolean tall = projection.tall(i);
        Tensor first = norms(update, tall);
        Tensor second = norms(grad, tall);
        Tensor raised = rt.emptyLike(second);
        rt.free(second);
        Tensor factor = rt.emptyLike(first);
        rt.free(first);
        rt.free(raised);
        names.factor.bind(factor);
        Tensor scaled = names.scaled.bind(rt.emptyLike(state.gradient(i)));
        Tensor norm = OptimizerArithmetic.norm(rt, scaled);
        Tensor before = norms.get(i);
        if (before == null) {
            keep(i, norm);
        } else {
            names.norm.bind(norm);
            limit(before, names);
            scaled = names.scaled.bind(rt.emptyLike(scaled));
            keep(i, rt.emptyLike(norm));
        }
        names.update.bind(scaled);
    }

    /** {@code max(norm / (last + 1e-8), 1.01) / 1.01}, of which the first is taken. */
    private void limit(Tensor last, Names names) {
        Tensor raised = rt.emptyLike(last);
        Tensor growth = rt.emptyLike(last);
        rt.free(raised);
        rt.free(rt.empty(DType.BOOL));
        Tensor limiter = rt.emptyLike(growth);
        rt.free(growth);
        names.limiter.bind(limiter);
    }

    private void keep(int i, Tensor norm) {
        rt.release(norms.put(i, Objects.requireNonNull(rt.hold(norm))));
        rt.free(norm);
    }

    private Tensor norms(Tensor t, boolean ofRows) {
        return ofRows ? OptimizerArithmetic.rowNorms(rt, t) : OptimizerArithmetic.columnNorms(rt, t);
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }

    /** What step() calls its tensors. */
    private record Names(
            Variable grad,
            Variable denom,
            Variable update,
            Variable factor,
            Variable scaled,
            Variable norm,
            Variable limiter) {
        Names(OptimizerState state) {
            this(
                    state.variable(),
                    state.variable(),
                    state.variable(),
                    state.variable(),
                    state.variable(),
                    state.variable(),
                    state.variable());
        }

        List<Variable> all() {
            return List.of(grad, denom, update, factor, scaled, norm, limiter);
        }
    }
}
