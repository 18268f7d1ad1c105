package dev.headroom.model.scenario;

/**
 * Arguments of optimizers' constructors that decide what is allocated, with PyTorch's defaults.
 *
 * @param weightDecay a weight decay other than 0; it matters where it is added to gradients, which then are fresh tensors: not
 *     for AdamW and Adafactor, which shrink the parameters in place
 * @param nesterov SGD with momentum: Nesterov's variant
 * @param amsgrad Adam and AdamW: keeps the largest second moments
 * @param momentum RMSprop: a momentum other than 0
 * @param centered RMSprop: divides by an estimate of the variance
 * @param maximize climbs instead of descending: the gradients of a step are fresh tensors, but for fused kernels
 */
public record OptimizerOptions(
        boolean weightDecay, boolean nesterov, boolean amsgrad, boolean momentum, boolean centered, boolean maximize) {
    static final OptimizerOptions DEFAULTS = new OptimizerOptions(false, false, false, false, false, false);

    OptimizerOptions withWeightDecay(boolean value) {
        return new OptimizerOptions(value, nesterov, amsgrad, momentum, centered, maximize);
    }

    OptimizerOptions withNesterov(boolean value) {
        return new OptimizerOptions(weightDecay, value, amsgrad, momentum, centered, maximize);
    }

    OptimizerOptions withAmsgrad(boolean value) {
        return new OptimizerOptions(weightDecay, nesterov, value, momentum, centered, maximize);
    }

    OptimizerOptions withMomentum(boolean value) {
        return new OptimizerOptions(weightDecay, nesterov, amsgrad, value, centered, maximize);
    }

    OptimizerOptions withCentered(boolean value) {
        return new OptimizerOptions(weightDecay, nesterov, amsgrad, momentum, value, maximize);
    }

    OptimizerOptions withMaximize(boolean value) {
        return new OptimizerOptions(weightDecay, nesterov, amsgrad, momentum, centered, value);
    }
}
