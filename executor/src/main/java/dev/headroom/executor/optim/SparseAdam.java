package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_NUMBER;
import static dev.headroom.executor.optim.Arithmetic.ADD_SCALED;
import static dev.headroom.executor.optim.Arithmetic.DIVIDE;
import static dev.headroom.executor.optim.Arithmetic.MULTIPLY;
import static dev.headroom.executor.optim.Arithmetic.SCALE;
import static dev.headroom.executor.optim.Arithmetic.SQUARE_ROOT;

import dev.headroom.executor.op.basic.Coalescing;
import dev.headroom.executor.op.basic.SparseRows;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/** {@code torch.optim.SparseAdam} (torch/optim/_functional.py, sparse_adam): Adam of the rows that a gradient names. */
final class SparseAdam extends StatefulOptimizer {
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final double EPS = 1e-8;

    /** What is kept for a table: moments of all its rows. */
    private static final class State {
        final Tensor first;
        final Tensor second;
        int step;

        State(Tensor first, Tensor second) {
            this.first = first;
            this.second = second;
        }
    }

    private final IdentityHashMap<Tensor, State> states = new IdentityHashMap<>();

    SparseAdam(Eager eager, List<Tensor> parameters, Implementation form, Hyperparameters h) {
        super(eager, parameters, form, h);
    }

    @Override
    public void step() {
        List<Tensor> trained = Groups.withAnyGradient(parameters);
        for (Tensor p : trained) {
            if (p.givenGrad().rows() == null) {
                throw new UserInputException("SparseAdam does not take the dense gradient of a parameter"
                        + " (torch/optim/sparse_adam.py); make its embedding sparse=True");
            }
            states.computeIfAbsent(p, t -> new State(math.keptZeros(t), math.keptZeros(t)));
        }
        Locals locals = new Locals();
        try {
            trained.forEach(locals::update);
        } finally {
            locals.end();
        }
    }

    /** The function's variables that hold tensors. */
    private final class Locals {
        final Variable grad = new Variable(eager);
        final Variable old = new Variable(eager);
        final Variable update = new Variable(eager);
        final Variable oldSquare = new Variable(eager);
        final Variable square = new Variable(eager);
        final Variable numerator = new Variable(eager);
        final Variable denominator = new Variable(eager);

        void end() {
            for (Variable v : new Variable[] {old, update, oldSquare, square, numerator, denominator, grad}) {
                v.close();
            }
        }

        void update(Tensor p) {
            State s = Objects.requireNonNull(states.get(p), "a state");
            grad.assignOne(() -> Coalescing.of(eager, p.givenGrad()));
            if (grad.get().elements() == 0) {
                return;
            }
            int t = ++s.step;
            old.assignOne(() -> valuesAt(s.first));
            update.assignOne(() -> difference(grad.get(), old.get()));
            math.into(SCALE, 1 - BETA1, update.get());
            add(s.first, update.get());
            oldSquare.assignOne(() -> valuesAt(s.second));
            square.assignOne(() -> math.fresh(MULTIPLY, 0, grad.get(), grad.get()));
            math.into(ADD_SCALED, -1, square.get(), oldSquare.get());
            math.into(SCALE, 1 - BETA2, square.get());
            add(s.second, square.get());
            math.into(ADD_SCALED, 1, update.get(), old.get());
            numerator.bind(update.get());
            math.into(ADD_SCALED, 1, square.get(), oldSquare.get());
            math.into(SQUARE_ROOT, 0, square.get());
            math.into(ADD_NUMBER, EPS, square.get());
            denominator.bind(square.get());
            update.close();
            square.close();
            double size = h.learningRate() * Math.sqrt(1 - Math.pow(BETA2, t)) / (1 - Math.pow(BETA1, t));
            math.into(DIVIDE, 0, numerator.get(), denominator.get());
            try (Scope scope = eager.open()) {
                add(p, math.fresh(SCALE, -size, numerator.get()));
            }
        }

        private Tensor valuesAt(Tensor table) {
            Tensor masked = SparseRows.masked(eager, table, grad.get());
            return eager.detach(masked);
        }

        private Tensor difference(Tensor a, Tensor b) {
            return math.fresh(ADD_SCALED, -1, a, b);
        }

        private void add(Tensor table, Tensor values) {
            SparseRows.addTo(eager, table, values, SparseRows.rows(grad.get()), 1);
        }
    }
}
