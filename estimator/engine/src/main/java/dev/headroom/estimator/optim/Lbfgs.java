package dev.headroom.estimator.optim;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.optim.state.Variable;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

/**
 * torch/optim/lbfgs.py, without a line search. What depends on numbers is assumed to go on: a step moves {@code
 * max_iter} times, every move is remembered, and nothing converges.
 */
final class Lbfgs implements Optimizer {
    /** One update of the history: {@code y}, {@code s} and {@code ro}. */
    private record Move(Tensor y, Tensor s, Tensor ro) {
        List<Tensor> tensors() {
            return List.of(y, s, ro);
        }
    }

    private final OptimizerState state;
    private final EagerRuntime runtime;
    private final OptimizerOptions options;
    private final Deque<Move> history = new ArrayDeque<>();
    private final List<Variable> al = new ArrayList<>();
    private final Variable keptDirection;
    private final Variable keptDiagonal;
    private final Variable previous;
    private int iterations;

    Lbfgs(OptimizerState state, Scenario run) {
        this.state = state;
        this.runtime = state.runtime();
        this.options = run.optimizer().options();
        this.keptDirection = state.variable();
        this.keptDiagonal = state.variable();
        this.previous = state.variable();
        for (int i = 0; i < options.history(); i++) {
            al.add(state.variable());
        }
        refuse(run.precision().amp() == DType.FLOAT16, "`amp=fp16`", "a GradScaler takes no closure");
        refuse(run.loop().accumulate() > 1, "`accumulate`", "its closure evaluates one batch");
        refuse(run.loop().clips(), "`clip_grad_norm`", "the gradients are those of its closure");
        refuse(run.trainer().loop().isTrainer(), "`loop`", "libraries' loops give no closure");
        refuse(!run.optimizer().groups().isEmpty(), "`param_group`", "it has no parameter groups");
    }

    private static void refuse(boolean asked, String option, String why) {
        if (asked) {
            throw new UserInputException("`optimizer=lbfgs` with " + option + ": " + why);
        }
    }

    @Override
    public boolean evaluates() {
        return true;
    }

    @Override
    public void step() {
        throw new UserInputException("lbfgs steps with a closure: it is for the plain loop, by `optimizer`");
    }

    @Override
    public void step(Closure closure) {
        state.function(() -> new Step(closure).run());
    }

    @Override
    public List<Tensor> state(int parameter) {
        List<Tensor> all = new ArrayList<>();
        if (parameter == 0) { // the global state is the first parameter's
            history.forEach(m -> all.addAll(m.tensors()));
            al.forEach(v -> all.addAll(v.value()));
            List.of(keptDirection, keptDiagonal, previous).forEach(v -> all.addAll(v.value()));
        }
        return all;
    }

    /** The local variables of {@code step()}. */
    private final class Step {
        private final Closure closure;
        private final Variable gradient = state.variable();
        private final Variable optimal = state.variable();
        private final Variable direction = state.variable();
        private final Variable same = state.variable(); // r, another name of d
        private final Variable diagonal = state.variable();
        private final Variable y = state.variable();
        private final Variable s = state.variable();
        private final Variable ys = state.variable();
        private final Variable q = state.variable();
        private final Variable be = state.variable();
        private final Variable slope = state.variable();

        Step(Closure closure) {
            this.closure = closure;
        }

        void run() {
            Tensor first = closure.evaluate();
            gather();
            condition();
            if (!keptDirection.value().isEmpty()) {
                direction.bind(keptDirection.value());
                diagonal.bind(keptDiagonal.value());
            }
            for (int i = 1; i <= options.maxIterations(); i++) {
                direct();
                if (previous.value().isEmpty()) {
                    previous.bind(kept(flat()));
                }
                if (iterations == 1) {
                    state.function(
                            () -> { // min(1.0, 1.0 / flat_grad.abs().sum())
                                Tensor absolute = flat();
                                scalar();
                                runtime.free(absolute);
                                scalar();
                                scalar();
                            });
                }
                slope.bind(dot());
                asked();
                if (i < options.maxIterations()) {
                    runtime.release(closure.evaluate()); // loss = float(closure())
                    gather();
                    condition();
                    progress();
                }
            }
            keptDirection.bind(kept(direction.value().get(0)));
            keptDiagonal.bind(diagonal.value());
            runtime.release(first);
            for (Variable v : List.of(gradient, optimal, direction, same, diagonal, y, s, ys, q, be, slope)) {
                v.delete();
            }
        }

        /** The direction: the negative gradient, then by what is remembered. */
        private void direct() {
            if (iterations++ == 0) {
                direction.bind(flat());
                return;
            }
            y.bind(flat());
            s.bind(flat());
            ys.bind(dot());
            asked();
            if (history.size() == options.history()) {
                history.removeFirst().tensors().forEach(runtime::release);
            }
            Tensor inverse = scalar();
            Tensor ro = scalar();
            runtime.free(inverse);
            history.add(new Move(
                    runtime.hold(kept(y.value().get(0))),
                    runtime.hold(kept(s.value().get(0))),
                    runtime.hold(kept(ro))));
            runtime.free(ro);
            Tensor square = dot();
            diagonal.bind(kept(scalar()));
            runtime.free(square);
            q.bind(flat());
            for (int i = history.size() - 1; i >= 0; i--) {
                al.get(i).bind(kept(product()));
                runtime.free(scalar()); // -al[i]
            }
            direction.bind(flat());
            same.bind(direction.value());
            for (int i = 0; i < history.size(); i++) {
                be.bind(product());
                runtime.free(scalar()); // al[i] - be_i
            }
        }

        /** {@code a.dot(b) * ro[i]}. */
        private Tensor product() {
            Tensor dot = dot();
            Tensor out = scalar();
            runtime.free(dot);
            return out;
        }

        /** {@code _gather_flat_grad()}: zeros stand in for gradients that are missing. */
        private void gather() {
            List<Tensor> zeros = new ArrayList<>();
            for (int i = 0; i < state.size(); i++) {
                if (state.parameter(i).grad() == null) {
                    zeros.add(runtime.empty(
                            state.parameter(i).dtype(), state.parameter(i).numel()));
                }
            }
            Tensor flat = flat();
            zeros.forEach(runtime::free);
            gradient.bind(flat);
        }

        /** {@code opt_cond = flat_grad.abs().max() <= tolerance_grad}. */
        private void condition() {
            Tensor absolute = flat();
            Tensor largest = largest(absolute);
            Tensor holds = runtime.empty(DType.BOOL);
            runtime.free(largest);
            optimal.bind(holds);
        }

        /** {@code d.mul(t).abs().max() <= tolerance_change}. */
        private void progress() {
            Tensor moved = flat();
            Tensor absolute = flat();
            runtime.free(moved);
            Tensor largest = largest(absolute);
            asked();
            runtime.free(largest);
        }

        private Tensor largest(Tensor absolute) {
            Tensor out = Reductions.reduce(
                    runtime,
                    absolute,
                    new boolean[] {true},
                    false,
                    absolute.dtype(),
                    absolute.dtype().bytes());
            runtime.free(absolute);
            return out;
        }
    }

    /** A comparison that the host reads. */
    private void asked() {
        runtime.free(runtime.empty(DType.BOOL));
    }

    private Tensor kept(Tensor t) {
        runtime.setCategory(t, Category.OPTIMIZER_STATE);
        return t;
    }

    private DType type() {
        DType type = null;
        for (int i = 0; i < state.size(); i++) {
            DType own = state.parameter(i).dtype();
            type = type == null || own.bytes() > type.bytes() ? own : type;
        }
        return Objects.requireNonNull(type, "parameters to step");
    }

    /** A tensor of all parameters' elements. */
    private Tensor flat() {
        long numel = 0;
        for (int i = 0; i < state.size(); i++) {
            numel += state.parameter(i).numel();
        }
        return runtime.empty(type(), numel);
    }

    private Tensor scalar() {
        return runtime.empty(type());
    }

    private Tensor dot() {
        Tensor out = scalar();
        runtime.workspaces().useBlas();
        return out;
    }
}
