package dev.headroom.executor.optim;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.List;

/** What the optimizers share: what they were given, and arithmetic that keeps their state until the end. */
abstract class StatefulOptimizer implements Optimizer {
    final Eager eager;
    final Arithmetic math;
    final List<Tensor> parameters;
    final Implementation form;
    final Hyperparameters h;

    StatefulOptimizer(Eager eager, List<Tensor> parameters, Implementation form, Hyperparameters h) {
        this.eager = eager;
        this.math = new Arithmetic(eager);
        this.parameters = parameters;
        this.form = form;
        this.h = h;
    }

    @Override
    public final List<Tensor> parameters() {
        return parameters;
    }

    /** As {@code _step_supports_amp_scaling} is set by the fused forms alone. */
    @Override
    public final boolean unscales() {
        return form == Implementation.FUSED;
    }

    @Override
    public final void close() {
        math.close();
    }
}
