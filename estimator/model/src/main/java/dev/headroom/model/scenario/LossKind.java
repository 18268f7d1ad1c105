package dev.headroom.model.scenario;

import java.util.List;

/** The losses of a training loop. */
public enum LossKind {
    /**
     * {@code output} when the model returns a scalar first, {@code tokens} when it returns scores for each of the
     * tokens that it is given, else {@code cross-entropy}.
     */
    AUTO,
    CROSS_ENTROPY,
    /** Cross-entropy of each token's scores, the last dimension, in float32. */
    TOKENS,
    /**
     * Cross-entropy of each token's scores and the next token, in the scores' own type; the outputs are let go of with
     * the loss.
     */
    SHIFTED,
    MSE,
    /** Binary cross-entropy of scores ({@code BCEWithLogitsLoss}) with integer labels. */
    BCE,
    /** Cross-entropy with smoothed labels as timm writes it out (timm/loss/cross_entropy.py). */
    LABEL_SMOOTHING,
    SUM,
    /** The model's first output is the loss. */
    OUTPUT;

    /** Those that can be asked for. */
    static final List<LossKind> NAMED = List.of(CROSS_ENTROPY, TOKENS, SHIFTED, MSE, BCE, LABEL_SMOOTHING, SUM, OUTPUT);
}
