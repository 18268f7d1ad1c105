package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;

/**
 * Arguments of optimizers' constructors that decide what is allocated, with PyTorch's defaults.
 *
 * @param weightDecay a weight decay other than 0; it matters where it is added to gradients, which then are fresh
 *     tensors: not for AdamW and Adafactor, which shrink the parameters in place
 * @param nesterov SGD with momentum: Nesterov's variant
 * @param amsgrad Adam and AdamW: keeps the largest second moments
 * @param momentum RMSprop: a momentum other than 0
 * @param centered RMSprop: divides by an estimate of the variance
 * @param maximize climbs instead of descending: the gradients of a step are fresh tensors, but for fused kernels
 * @param maxIterations LBFGS: how often a step moves
 * @param history LBFGS: how many moves it remembers
 */
@Withers
public record OptimizerOptions(
        boolean weightDecay,
        boolean nesterov,
        boolean amsgrad,
        boolean momentum,
        boolean centered,
        boolean maximize,
        int maxIterations,
        int history)
        implements OptimizerOptionsWithers.With {
    static final OptimizerOptions DEFAULTS = new OptimizerOptions(false, false, false, false, false, false, 20, 100);
}
