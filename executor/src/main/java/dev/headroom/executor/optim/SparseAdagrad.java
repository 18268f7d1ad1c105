package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_NUMBER;
import static dev.headroom.executor.optim.Arithmetic.DIVIDE;
import static dev.headroom.executor.optim.Arithmetic.MULTIPLY;
import static dev.headroom.executor.optim.Arithmetic.SQUARE_ROOT;

import dev.headroom.executor.op.basic.Coalescing;
import dev.headroom.executor.op.basic.SparseRows;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;

/** What {@code torch.optim.Adagrad} does with sparse gradients, and the variables that it does it with. */
final class SparseAdagrad implements AutoCloseable {
    private final Eager eager;
    private final Arithmetic math;
    private final Hyperparameters h;
    private final Variable grad;
    private final Variable std;
    private final Variable stdValues;

    SparseAdagrad(Eager eager, Arithmetic math, Hyperparameters h) {
        this.eager = eager;
        this.math = math;
        this.h = h;
        this.grad = new Variable(eager);
        this.std = new Variable(eager);
        this.stdValues = new Variable(eager);
    }

    /** Of the rows of a table that the gradient names, each of them once. */
    void step(Tensor p, Tensor sum) {
        grad.assignOne(() -> Coalescing.of(eager, p.givenGrad()));
        Tensor once = grad.get();
        Tensor rows = SparseRows.rows(once);
        try (Scope s = eager.open()) {
            SparseRows.addTo(eager, sum, math.fresh(MULTIPLY, 0, once, once), rows, 1);
        }
        std.assignOne(() -> SparseRows.masked(eager, sum, once));
        math.into(SQUARE_ROOT, 0, std.get());
        math.into(ADD_NUMBER, Adagrad.EPS, std.get());
        stdValues.assignOne(() -> eager.detach(std.get()));
        try (Scope s = eager.open()) {
            SparseRows.addTo(eager, p, math.fresh(DIVIDE, 0, once, std.get()), rows, -h.learningRate());
        }
    }

    @Override
    public void close() {
        std.close();
        stdValues.close();
        grad.close();
    }
}
