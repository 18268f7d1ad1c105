package dev.headroom.model.scenario;

/** Arguments of optimizers' constructors that decide what is allocated, with PyTorch's defaults. Mutable, as the run is. */
public final class OptimizerOptions {
    /**
     * A weight decay other than 0. It matters where it is added to gradients, which then are fresh tensors: not for
     * AdamW and Adafactor, which shrink the parameters in place.
     */
    public boolean weightDecay;

    /** SGD with momentum: Nesterov's variant. */
    public boolean nesterov;

    /** Adam and AdamW: keeps the largest second moments. */
    public boolean amsgrad;

    /** RMSprop: a momentum other than 0. */
    public boolean momentum;

    /** RMSprop: divides by an estimate of the variance. */
    public boolean centered;

    /** Independent options with the same values. */
    public OptimizerOptions copy() {
        OptimizerOptions copy = new OptimizerOptions();
        copy.weightDecay = weightDecay;
        copy.nesterov = nesterov;
        copy.amsgrad = amsgrad;
        copy.momentum = momentum;
        copy.centered = centered;
        return copy;
    }
}
