package dev.headroom.optim;

import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Tensor;
import dev.headroom.training.TrainingRun;
import java.util.List;

/** Makes the optimizer of a run; the one place to add another. */
public final class Optimizers {
    private Optimizers() {}

    /** @return {@code null} for a run without optimizer */
    public static Optimizer of(TrainingRun run, Runtime runtime, List<Tensor> parameters) {
        OptimizerState state = new OptimizerState(runtime, parameters);
        return switch (run.optimizer) {
            case NONE -> null;
            case SGD, SGD_MOMENTUM -> new Sgd(state, run);
            case ADAM, ADAMW -> new Adam(state, run);
            case RMSPROP -> new RmsProp(state, run);
            case ADAGRAD -> new Adagrad(state, run);
            case ADAFACTOR -> new Adafactor(state, run);
        };
    }
}
