package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.Gradients;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code torch.optim.Adafactor}: a row and a column of variances over the last two dimensions, or the whole
 * variance of a vector, made in the first step. It takes one parameter after the other unless told otherwise
 * (torch/optim/_adafactor.py).
 */
final class Adafactor implements Optimizer {
    private static final int ROW = 0;
    private static final int COLUMN = 1;
    private static final int VARIANCE = 0;

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final boolean foreach;
    private final Gradients gradients;

    Adafactor(OptimizerState state, Scenario run) {
        this.state = state;
        this.rt = state.runtime();
        this.gradients = Gradients.withoutDecay(state, run.optimizer().options());
        this.foreach = Implementation.of(run) == Implementation.FOREACH;
    }

    @Override
    public void step() {
        List<Integer> stepped = state.withGradient();
        state.function(() -> {
            stepped.stream().filter(state::isNew).forEach(this::initialise);
            if (foreach) {
                multiTensor(stepped);
            } else {
                singleTensor(stepped);
            }
        });
    }

    /** Adafactor._init_group. */
    private void initialise(int i) {
        Tensor grad = state.gradient(i);
        int n = grad.dim();
        if (n > 1) {
            long[] row = grad.sizes().clone();
            row[n - 1] = 1;
            state.add(i, grad.dtype(), row);
            long[] column = grad.sizes().clone();
            column[n - 2] = 1;
            state.add(i, grad.dtype(), column);
        } else {
            state.addLike(i, grad);
        }
    }

    /** _single_tensor_adafactor. */
    private void singleTensor(List<Integer> stepped) {
        Variable gradient = state.variable();
        Variable rowMean = state.variable();
        Variable columnMean = state.variable();
        Variable estimate = state.variable();
        Variable squared = state.variable();
        Variable update = state.variable();
        for (int i : stepped) {
            gradients.bind(gradient, i);
            Tensor grad = gradient.value().get(0);
            measure(state.parameter(i));
            if (grad.dim() > 1) {
                rowMean.bind(OptimizerArithmetic.norm(rt, grad, -1));
                columnMean.bind(OptimizerArithmetic.norm(rt, grad, -2));
                estimate.bind(outer(i));
                rt.free(OptimizerArithmetic.mean(rt, state.kept(i, ROW), -2));
            } else {
                squared.bind(OptimizerArithmetic.elementwise(rt, grad, grad));
                estimate.bind(OptimizerArithmetic.copy(rt, state.kept(i, VARIANCE)));
            }
            update.bind(estimate.value());
            measure(update.value().get(0));
        }
        List.of(gradient, rowMean, columnMean, estimate, squared, update).forEach(Variable::delete);
    }

    /** _multi_tensor_adafactor. */
    private void multiTensor(List<Integer> stepped) {
        Variable grads = state.variable();
        Variable means = state.variable();
        Variable estimates = state.variable();
        Variable updates = state.variable();
        for (List<Integer> group : byRank(stepped)) {
            gradients.bind(grads, group);
            group.forEach(i -> measure(state.parameter(i)));
            if (state.gradient(group.get(0)).dim() > 1) {
                means.bind(norms(grads, -1));
                means.delete();
                means.bind(norms(grads, -2));
                means.delete();
                estimates.bind(state.each(group, this::outer));
                means.bind(state.each(group, i -> OptimizerArithmetic.mean(rt, state.kept(i, ROW), -2)));
                means.delete();
            } else {
                means.bind(grads.value().stream()
                        .map(grad -> OptimizerArithmetic.elementwise(rt, grad, grad))
                        .toList());
                means.delete();
                estimates.bind(state.each(group, i -> OptimizerArithmetic.copy(rt, state.kept(i, VARIANCE))));
            }
            updates.bind(estimates.value());
            updates.value().forEach(this::measure);
        }
        List.of(grads, estimates, updates).forEach(Variable::delete);
    }

    /** _group_tensors_by_device_dtype_and_is_multidim: by type, then matrices and vectors as they appear. */
    private List<List<Integer>> byRank(List<Integer> stepped) {
        List<List<Integer>> out = new ArrayList<>();
        for (List<Integer> group : state.groups(stepped)) {
            boolean matricesFirst = state.gradient(group.get(0)).dim() > 1;
            for (boolean matrices : new boolean[] {matricesFirst, !matricesFirst}) {
                List<Integer> part = group.stream()
                        .filter(i -> state.gradient(i).dim() > 1 == matrices)
                        .toList();
                if (!part.isEmpty()) {
                    out.add(part);
                }
            }
        }
        return out;
    }

    private List<Tensor> norms(Variable grads, int dim) {
        return grads.value().stream()
                .map(grad -> OptimizerArithmetic.norm(rt, grad, dim))
                .toList();
    }

    /** {@code row_var @ col_var}. */
    private Tensor outer(int i) {
        return OptimizerArithmetic.matmul(rt, state.kept(i, ROW), state.kept(i, COLUMN));
    }

    /** {@code t.norm(2).item()}. */
    private void measure(Tensor t) {
        rt.free(OptimizerArithmetic.norm(rt, t));
    }

    @Override
    public boolean showsAll() {
        return true;
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
