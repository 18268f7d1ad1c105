package dev.headroom.executor.optim;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.graph.GraphException;
import dev.headroom.training.OptimizerKind;
import dev.headroom.training.TrainingRun;
import java.util.List;

/** The optimizers by name. */
public final class Optimizers {
    private static final Formula DESCEND =
            new Formula("sgd", "y0 = x0 - s0 * x1;", (x, s, y) -> y[0] = x[0] - s[0] * x[1]);

    private Optimizers() {}

    /**
     * An optimizer for parameters, with PyTorch's defaults.
     *
     * @return {@code null} for none
     */
    public static Optimizer of(Eager eager, TrainingRun run, List<Tensor> parameters) {
        if (run.optimizer == OptimizerKind.NONE) {
            return null;
        }
        if (run.optimizer != OptimizerKind.SGD) {
            throw new GraphException(run.optimizer.option() + " is not there yet");
        }
        return () -> {
            for (Tensor p : parameters) {
                if (p.grad() != null) {
                    eager.backend().elementwise().map(DESCEND, new double[] {0.001}, new Tensor[] {p}, p, p.grad());
                    p.storage().changed();
                }
            }
        };
    }
}
