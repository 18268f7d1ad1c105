package dev.headroom.executor.optim;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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

    /**
     * What a step works on: the parameters that have a gradient, in lists that go together; one after the other is in
     * lists of one.
     *
     * @param states of parameters; those that have none are given one
     * @param together how the form of lists sorts parameters
     */
    final <S> List<List<Tensor>> stepped(
            Map<Tensor, S> states, Function<Tensor, S> initial, Function<List<Tensor>, List<List<Tensor>>> together) {
        List<Tensor> trained = Groups.withGradient(parameters);
        trained.forEach(p -> states.computeIfAbsent(p, initial));
        return form == Implementation.FOREACH
                ? together.apply(trained)
                : trained.stream().map(List::of).toList();
    }

    /** Lets go of state that {@link #math} does not keep. */
    void closeMore() {}

    @Override
    public final void close() {
        closeMore();
        math.close();
    }
}
