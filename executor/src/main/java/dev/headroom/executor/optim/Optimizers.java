package dev.headroom.executor.optim;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The optimizers of torch.optim, and those of bitsandbytes that keep eight bits a number. */
public final class Optimizers {
    /** What {@link Hyperparameters} holds. */
    private static final Set<Setting<?>> ARGUMENTS = Set.of(
            OptimizerSettings.WEIGHT_DECAY,
            OptimizerSettings.NESTEROV,
            OptimizerSettings.AMSGRAD,
            OptimizerSettings.MOMENTUM,
            OptimizerSettings.CENTERED);

    private static final Set<OptimizerKind> KNOWN = EnumSet.of(
            OptimizerKind.SGD,
            OptimizerKind.SGD_MOMENTUM,
            OptimizerKind.ADAM,
            OptimizerKind.ADAMW,
            OptimizerKind.RMSPROP,
            OptimizerKind.ADAGRAD,
            OptimizerKind.ADAFACTOR,
            OptimizerKind.SPARSE_ADAM,
            OptimizerKind.ADAM_8BIT,
            OptimizerKind.ADAMW_8BIT,
            OptimizerKind.NONE);

    private Optimizers() {}

    /** Whether the executor has an optimizer, with the arguments that a run gives it. */
    public static boolean knows(Scenario run) {
        return KNOWN.contains(run.optimizer().kind()) && unknownArguments(run).isEmpty();
    }

    private static List<Setting<?>> unknownArguments(Scenario run) {
        return OptimizerSettings.all().stream()
                .filter(argument -> !ARGUMENTS.contains(argument) && !argument.isDefault(run))
                .toList();
    }

    /**
     * A run's optimizer, with PyTorch's default learning rate. Memory that its constructor takes is taken now.
     *
     * @param parameters {@code model.parameters()}
     * @return {@code null} for none
     * @throws UserInputException for one that is not PyTorch's, or a form that PyTorch does not have
     */
    public static @Nullable Optimizer of(Eager eager, Scenario run, List<Tensor> parameters) {
        return of(eager, run, parameters, Hyperparameters.of(run));
    }

    private static void refuseUnknownArguments(Scenario run) {
        for (Setting<?> argument : unknownArguments(run)) {
            throw new UserInputException(
                    "the executor's optimizers do not know " + argument.key() + "; predict it with 'headroom predict'");
        }
    }

    /** The same with other numbers. */
    public static @Nullable Optimizer of(Eager eager, Scenario run, List<Tensor> parameters, Hyperparameters h) {
        refuseUnknownArguments(run);
        Implementation form = Implementation.of(run);
        return switch (run.optimizer().kind()) {
            case NONE -> null;
            case SGD, SGD_MOMENTUM -> new Sgd(eager, parameters, form, h);
            case ADAM -> new Adam(eager, parameters, form, false, h);
            case ADAMW -> new Adam(eager, parameters, form, true, h);
            case RMSPROP -> new RmsProp(eager, parameters, form, h);
            case ADAGRAD -> new Adagrad(eager, parameters, form, h);
            case ADAFACTOR -> new Adafactor(eager, parameters, form, h);
            case SPARSE_ADAM -> new SparseAdam(eager, parameters, form, h);
            case ADAM_8BIT -> new BlockwiseAdam(eager, parameters, false, h);
            case ADAMW_8BIT -> new BlockwiseAdam(eager, parameters, true, h);
            default ->
                throw new UserInputException("the executor does not run "
                        + run.optimizer().kind().option() + "; predict it with 'headroom predict'");
        };
    }
}
