package dev.headroom.executor.cuda.driver;

import org.jspecify.annotations.Nullable;

/** Runs every step of a clean-up although some fail, and throws the first failure when all have been tried. */
public final class Cleanup {
    private @Nullable RuntimeException first;

    public void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            if (first == null) {
                first = e;
            } else {
                first.addSuppressed(e);
            }
        }
    }

    public void finish() {
        if (first != null) {
            throw first;
        }
    }
}
