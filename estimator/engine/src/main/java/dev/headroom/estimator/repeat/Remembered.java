package dev.headroom.estimator.repeat;

/** What rules remember as long as the process lives, such as the CUDA graphs that it recorded. */
public interface Remembered {
    /** Adds all that what comes depends on. Without it, no step is taken for a repetition of the one before. */
    default void describe(Beginning to) {
        to.unknown();
    }
}
