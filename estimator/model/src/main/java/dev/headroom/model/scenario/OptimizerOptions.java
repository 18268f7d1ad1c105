package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import java.util.List;

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
 * @param targetModules {@code optim_target_modules}: the linear layers whose gradients GaLore and APOLLO project
 * @param rank of these projections
 * @param layerwise GaLore and APOLLO: each parameter is stepped as soon as its gradient is there, and the gradient
 *     dropped
 */
@Withers
public record OptimizerOptions(
        boolean weightDecay,
        boolean nesterov,
        boolean amsgrad,
        boolean momentum,
        boolean centered,
        boolean maximize,
        List<String> targetModules,
        int rank,
        boolean layerwise)
        implements OptimizerOptionsWithers.With {
    private static final int RANK = 128; // transformers, trainer_optimizer.py

    static final OptimizerOptions DEFAULTS =
            new OptimizerOptions(false, false, false, false, false, false, List.of(), RANK, false);

    /** Copies what it is given. */
    public OptimizerOptions {
        targetModules = List.copyOf(targetModules);
    }
}
