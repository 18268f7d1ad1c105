package dev.headroom.estimator.optim;

import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.scenario.OptimizerKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The optimizers of schedulefree 1.4: a copy of each parameter, for those of Adam a second moment, and gradients that
 * are normalised in place. Lists of tensors; the denominators of one group live until those of the next are there.
 */
final class ScheduleFree implements Optimizer {
    private static final int MOMENT = 1;
    private static final double BETA2 = 0.999;
    private static final double LEAST_LENGTH = 4;

    private final OptimizerState state;
    private final EagerRuntime rt;
    private final OptimizerKind kind;
    private List<List<Integer>> groups;
    private int steps;

    ScheduleFree(OptimizerState state, OptimizerKind kind) {
        this.state = state;
        this.rt = state.runtime();
        this.kind = kind;
        this.groups = List.of(state.all());
    }

    @Override
    public void group(List<List<Integer>> members) {
        groups = List.copyOf(members);
    }

    @Override
    public void step() {
        steps++;
        state.function(() -> {
            Variable denom = state.variable();
            for (List<Integer> group : groups) {
                List<Integer> stepped = new ArrayList<>(group);
                stepped.retainAll(state.withGradient());
                stepped.stream().filter(state::isNew).forEach(this::initialise);
                if (!stepped.isEmpty() && divides()) {
                    denom.bind(state.roots(stepped, MOMENT));
                }
            }
            denom.delete();
        });
    }

    private void initialise(int i) {
        Tensor copy = OptimizerArithmetic.copy(rt, state.parameter(i)); // z
        state.keep(i, copy);
        if (kind != OptimizerKind.SCHEDULE_FREE_SGD) {
            state.addLike(i, state.parameter(i));
        }
    }

    /** Whether gradients are divided by roots: RAdam's are not while its average is short (rho_t). */
    private boolean divides() {
        if (kind == OptimizerKind.SCHEDULE_FREE_SGD) {
            return false;
        }
        double longest = 2 / (1 - BETA2) - 1;
        double power = Math.pow(BETA2, steps);
        return kind == OptimizerKind.SCHEDULE_FREE_ADAMW || longest - 2 * steps * power / (1 - power) > LEAST_LENGTH;
    }

    @Override
    public List<Tensor> state(int parameter) {
        return state.kept(parameter);
    }
}
