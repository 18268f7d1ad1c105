package dev.headroom.executor.optim;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/** The optimizers of torch.optim. */
public final class Optimizers {
    private Optimizers() {}

    /**
     * A run's optimizer, with PyTorch's default learning rate. Memory that its constructor takes is taken now.
     *
     * @param parameters {@code model.parameters()}
     * @return {@code null} for none
     * @throws UserInputException for one that is not PyTorch's, or a form that PyTorch does not have
     */
    public static Optimizer of(Eager eager, Scenario run, List<Tensor> parameters) {
        return of(eager, run, parameters, Hyperparameters.of(run));
    }

    /** The same with other numbers. */
    public static Optimizer of(Eager eager, Scenario run, List<Tensor> parameters, Hyperparameters h) {
        Implementation form = Implementation.of(run);
        return switch (run.optimizer().kind()) {
            case NONE -> null;
            case SGD, SGD_MOMENTUM -> new Sgd(eager, parameters, form, h);
            case ADAM -> new Adam(eager, parameters, form, false, h);
            case ADAMW -> new Adam(eager, parameters, form, true, h);
            case RMSPROP -> new RmsProp(eager, parameters, form, h);
            case ADAGRAD -> new Adagrad(eager, parameters, form, h);
            case ADAFACTOR -> new Adafactor(eager, parameters, form, h);
            default ->
                throw new UserInputException("the executor does not run "
                        + run.optimizer().kind().option() + "; predict it with 'headroom predict'");
        };
    }
}
