package dev.headroom.model.trainer;

/** Whose training loop runs. */
public enum LoopKind {
    /** One that the script writes itself. */
    PLAIN,
    /** {@code transformers.Trainer}. */
    TRAINER,
    /** {@code trl.SFTTrainer}: the Trainer's loop, with a loss that never makes the scores of all tokens. */
    SFT;

    /** Whether it is the Trainer's loop. */
    public boolean isTrainer() {
        return this != PLAIN;
    }
}
