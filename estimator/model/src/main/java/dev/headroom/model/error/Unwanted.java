package dev.headroom.model.error;

import java.util.concurrent.CancellationException;

/** Lets long computations end when nobody waits for them any more. */
public final class Unwanted {
    private Unwanted() {}

    /**
     * To be called once for each part of what may take long.
     *
     * @throws CancellationException when the thread is interrupted: so whoever asked can end it
     */
    public static void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the run is not wanted any more");
        }
    }
}
