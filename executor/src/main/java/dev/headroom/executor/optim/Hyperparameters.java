package dev.headroom.executor.optim;

import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;

/**
 * What an optimizer's constructor is given. The rest has PyTorch's defaults.
 *
 * @param weightDecay 0 for none
 * @param momentum 0 for none
 * @param amsgrad Adam: keeps the largest second moments
 * @param centered RMSprop: divides by an estimate of the variance
 */
public record Hyperparameters(
        double learningRate, double weightDecay, double momentum, boolean nesterov, boolean amsgrad, boolean centered) {
    /** Weight decay and momentum where a run asks for some: AdamW's default and the usual momentum. */
    private static final double WEIGHT_DECAY = 0.01;

    private static final double MOMENTUM = 0.9;

    /** A run's, with the default learning rate of its optimizer (torch/optim). */
    public static Hyperparameters of(Scenario run) {
        var options = run.optimizer().options();
        boolean decays = options.weightDecay()
                || run.optimizer().kind() == OptimizerKind.ADAMW
                || run.optimizer().kind() == OptimizerKind.ADAMW_8BIT;
        boolean gathers = run.optimizer().kind() == OptimizerKind.SGD_MOMENTUM
                || run.optimizer().kind() == OptimizerKind.RMSPROP && options.momentum();
        double rate =
                switch (run.optimizer().kind()) {
                    case RMSPROP, ADAGRAD, ADAFACTOR -> 0.01;
                    default -> 0.001;
                };
        return new Hyperparameters(
                rate,
                decays ? WEIGHT_DECAY : 0,
                gathers ? MOMENTUM : 0,
                options.nesterov(),
                options.amsgrad(),
                options.centered());
    }
}
