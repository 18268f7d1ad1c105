package dev.headroom.model.scenario;

/** The losses of {@code --loss}. */
public enum LossKind {
    /** {@code output} when the model returns a scalar first, else {@code cross-entropy}. */
    AUTO,
    CROSS_ENTROPY,
    MSE,
    SUM,
    /** The model's first output is the loss. */
    OUTPUT
}
