package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_NUMBER;
import static dev.headroom.executor.optim.Arithmetic.ADD_PRODUCT;
import static dev.headroom.executor.optim.Arithmetic.ADD_QUOTIENT;
import static dev.headroom.executor.optim.Arithmetic.ADD_SCALED;
import static dev.headroom.executor.optim.Arithmetic.DIVIDE_BY;
import static dev.headroom.executor.optim.Arithmetic.INTERPOLATE;
import static dev.headroom.executor.optim.Arithmetic.LARGER;
import static dev.headroom.executor.optim.Arithmetic.SCALE;
import static dev.headroom.executor.optim.Arithmetic.SQUARE_ROOT;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code torch.optim.Adam} and {@code AdamW} (torch/optim/adam.py). */
final class Adam extends StatefulOptimizer {
    static final double BETA1 = 0.9;
    static final double BETA2 = 0.999;
    static final double EPS = 1e-8;

    /** What is kept for a parameter; {@code largest} with AMSGrad, {@code stepOnDevice} when fused. */
    static final class State {
        int step;
        final @Nullable Tensor stepOnDevice;
        final Tensor average;
        final Tensor squares;
        final @Nullable Tensor largest;

        State(@Nullable Tensor stepOnDevice, Tensor average, Tensor squares, @Nullable Tensor largest) {
            this.stepOnDevice = stepOnDevice;
            this.average = average;
            this.squares = squares;
            this.largest = largest;
        }

        /** The number of steps as the fused form counts it. */
        Tensor counter() {
            return Objects.requireNonNull(stepOnDevice, "a counter");
        }

        /** Second moments to divide by. */
        Tensor second() {
            return largest == null ? squares : largest;
        }
    }

    private final boolean decoupled;
    private final IdentityHashMap<Tensor, State> states = new IdentityHashMap<>();

    /** @param decoupled AdamW's weight decay, which shrinks parameters and leaves gradients alone */
    Adam(Eager eager, List<Tensor> parameters, Implementation form, boolean decoupled, Hyperparameters h) {
        super(eager, parameters, form, h);
        this.decoupled = decoupled;
    }

    @Override
    public void step() {
        step(Tensor.number(DType.FLOAT32, 1), Tensor.number(DType.FLOAT32, 0));
    }

    @Override
    public void step(Tensor scale, Tensor foundInf) {
        List<Tensor> trained = Groups.withGradient(parameters);
        trained.forEach(p -> states.computeIfAbsent(p, this::initial));
        switch (form) {
            case FOR_LOOP -> oneByOne(trained);
            case FOREACH -> listwise(Groups.byType(trained));
            case FUSED ->
                Groups.byType(trained)
                        .forEach(ps -> FusedAdam.step(eager, math, ps, this::state, h, decoupled, scale, foundInf));
        }
    }

    /** _init_group. */
    private State initial(Tensor p) {
        Tensor step = form == Implementation.FUSED ? math.keptScalar(0) : null;
        Tensor average = math.keptZeros(p);
        Tensor squares = math.keptZeros(p);
        return new State(step, average, squares, h.amsgrad() ? math.keptZeros(p) : null);
    }

    private State state(Tensor p) {
        return Objects.requireNonNull(states.get(p), "a state");
    }

    /** _single_tensor_adam. */
    private void oneByOne(List<Tensor> trained) {
        try (Variable denominator = new Variable(eager);
                Variable grad = new Variable(eager)) {
            for (Tensor p : trained) {
                State s = state(p);
                s.step++;
                grad.bind(p.givenGrad());
                if (h.weightDecay() != 0) {
                    if (decoupled) {
                        math.into(SCALE, 1 - h.learningRate() * h.weightDecay(), p);
                    } else {
                        grad.assignOne(() -> math.fresh(ADD_SCALED, h.weightDecay(), grad.get(), p));
                    }
                }
                math.into(INTERPOLATE, 1 - BETA1, s.average, grad.get());
                math.into(SCALE, BETA2, s.squares);
                math.into(ADD_PRODUCT, 1 - BETA2, s.squares, grad.get(), grad.get());
                if (s.largest != null) {
                    math.into(LARGER, 0, s.largest, s.squares);
                }
                denominator.assignOne(() -> {
                    Tensor root = math.fresh(SQUARE_ROOT, 0, s.second());
                    Tensor corrected = math.fresh(DIVIDE_BY, correction2(s), root);
                    math.into(ADD_NUMBER, EPS, corrected);
                    return corrected;
                });
                math.into(ADD_QUOTIENT, -stepSize(s), p, s.average, denominator.get());
            }
        }
    }

    private double stepSize(State s) {
        return h.learningRate() / (1 - Math.pow(BETA1, s.step));
    }

    private static double correction2(State s) {
        return Math.sqrt(1 - Math.pow(BETA2, s.step));
    }

    /** _multi_tensor_adam: the roots, as all locals of the function, outlive the group that they belong to. */
    private void listwise(List<List<Tensor>> groups) {
        try (Variable roots = new Variable(eager)) {
            groups.forEach(ps -> step(ps, roots));
        }
    }

    private void step(List<Tensor> ps, Variable roots) {
        List<State> s = ps.stream().map(this::state).toList();
        s.forEach(state -> state.step++);
        List<Tensor> averages = Groups.each(s, state -> state.average);
        List<Tensor> squares = Groups.each(s, state -> state.squares);
        try (Variable grads = new Variable(eager)) {
            grads.bind(Groups.each(ps, Tensor::givenGrad));
            if (h.weightDecay() != 0) {
                if (decoupled) {
                    math.into(SCALE, 1 - h.learningRate() * h.weightDecay(), ps);
                } else {
                    grads.assign(() -> math.fresh(ADD_SCALED, h.weightDecay(), grads.list(), ps));
                }
            }
            math.into(INTERPOLATE, 1 - BETA1, averages, grads.list());
            math.into(SCALE, BETA2, squares);
            math.into(ADD_PRODUCT, 1 - BETA2, squares, grads.list(), grads.list());
        }
        if (h.amsgrad()) {
            math.into(LARGER, 0, Groups.each(s, state -> state.largest), squares);
        }
        roots.assign(() -> math.fresh(SQUARE_ROOT, 0, Groups.each(s, State::second)));
        math.into(DIVIDE_BY, i -> correction2(s.get(i)), roots.list());
        math.into(ADD_NUMBER, EPS, roots.list());
        math.into(ADD_QUOTIENT, i -> -stepSize(s.get(i)), ps, averages, roots.list());
    }
}
