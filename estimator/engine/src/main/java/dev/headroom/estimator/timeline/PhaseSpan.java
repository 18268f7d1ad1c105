package dev.headroom.estimator.timeline;

import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import org.jspecify.annotations.Nullable;

/**
 * A phase of the training loop and its events: those from {@code from} up to, but without, {@code to}.
 *
 * @param moment the phase and its step; of an accumulated step the pass, too
 */
public record PhaseSpan(Moment moment, int from, int to) {
    /** The phase. */
    public Phase phase() {
        return moment.phase();
    }

    /** Its step, or {@code null} before the first. */
    public @Nullable Integer step() {
        return moment.step();
    }

    /** Its pass of an accumulated step, or {@code null}. */
    public @Nullable Integer micro() {
        return moment.micro();
    }

    /** Such as {@code backward of step 1}, or {@code backward of step 1, pass 3}. */
    public String title() {
        return micro() == null ? moment.words() : moment.words() + ", pass " + micro();
    }
}
