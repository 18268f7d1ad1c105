package dev.headroom.estimator.loop;

import dev.headroom.model.run.Moment;

/** Reads memory where a recording of PyTorch reads it. */
@FunctionalInterface
public interface PhaseListener {
    /** At the end of a phase, after all hooks. */
    void ended(Moment phase);
}
