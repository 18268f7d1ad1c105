package dev.headroom.model.scenario;

import java.util.List;

/** The losses of a training loop. */
public enum LossKind {
    /** {@code output} when the model returns a scalar first, else {@code cross-entropy}. */
    AUTO,
    CROSS_ENTROPY,
    MSE,
    SUM,
    /** The model's first output is the loss. */
    OUTPUT;

    /** Those that can be asked for. */
    static final List<LossKind> NAMED = List.of(CROSS_ENTROPY, MSE, SUM, OUTPUT);
}
