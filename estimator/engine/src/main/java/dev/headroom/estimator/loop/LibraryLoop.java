package dev.headroom.estimator.loop;

/** The training loop of a library: it brings batches to the device, and orders the phases of a step its own way. */
public interface LibraryLoop {
    /**
     * What comes between the model and the first step.
     *
     * @param makeOptimizer makes the optimizer
     */
    void begin(Runnable makeOptimizer);

    /** One optimizer step with all that belongs to it. */
    void step(int step);

    /** Whether it says when a gradient scaler is updated; else that is after every step of an optimizer. */
    default boolean updatesScale() {
        return false;
    }
}
