package dev.headroom.estimator.optim;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the optimizer of a run; the one place to add another. */
public final class Optimizers {
    private Optimizers() {}

    /**
     * The optimizer of a run, as its constructor leaves it.
     *
     * @return {@code null} for a run without optimizer
     * @throws UserInputException for what the constructor of that PyTorch version refuses
     */
    public static @Nullable Optimizer of(Scenario run, EagerRuntime runtime, List<Tensor> parameters) {
        TorchVersion torch = run.torch();
        check(run.optimizer(), torch);
        OptimizerState state = new OptimizerState(runtime, parameters, torch);
        return switch (run.optimizer().kind()) {
            case NONE -> null;
            case SGD, SGD_MOMENTUM -> new Sgd(state, run);
            case ADAM, ADAMW -> new Adam(state, run);
            case RMSPROP -> new RmsProp(state, run);
            case ADAGRAD -> new Adagrad(state, run);
            case ADAFACTOR -> new Adafactor(state, run);
            case NADAM -> new NAdam(state, run);
            case RADAM -> new RAdam(state, run);
            case ADAMAX -> new Adamax(state, run);
            case ADADELTA -> new Adadelta(state, run);
            case ASGD -> new Asgd(state, run);
            case RPROP -> new Rprop(state, run);
            case ADAM_8BIT, ADAMW_8BIT -> new Adam8bit(state);
        };
    }

    private static void check(OptimizerChoice chosen, TorchVersion torch) {
        OptimizerKind kind = chosen.kind();
        String name = "--optimizer " + kind.option();
        if (torch.compareTo(kind.since()) < 0) {
            throw new UserInputException(
                    name + ": PyTorch " + torch + " has none; name a --torch from " + kind.since() + " on");
        }
        if (kind == OptimizerKind.NONE) {
            return;
        }
        if (chosen.fused() && !kind.fusesIn(torch)) {
            throw new UserInputException(
                    "--fused: PyTorch " + torch + " has no fused CUDA kernel for " + name + "; leave it out");
        }
        if (chosen.fused() && chosen.foreach() == Scenario.Foreach.TRUE) {
            throw new UserInputException("--fused cannot be combined with --foreach true; leave out one of them");
        }
        if (chosen.foreach() == Scenario.Foreach.TRUE && !torch.foreachArgument()) {
            throw new UserInputException("--foreach true: the optimizers of PyTorch " + torch
                    + " have no such argument; leave it out, or name a --torch from 1.12 on");
        }
    }
}
