package dev.headroom.model.run;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a run has come to.
 *
 * @param phase that runs
 * @param step number of the training step; {@code null} before the first
 * @param micro number of the pass in an accumulated step; {@code null} where a step has one pass, and in phases that
 *     belong to the whole step
 */
public record Moment(
        Phase phase, @Nullable Integer step, @Nullable Integer micro) {
    /** A phase before the first step. */
    public static Moment of(Phase phase) {
        return new Moment(phase, null, null);
    }

    /** A phase of a whole step. */
    public static Moment of(Phase phase, int step) {
        return new Moment(phase, step, null);
    }

    /** The same phase of the same step, whichever pass it is: out-of-memory reports and peaks name no pass. */
    public Moment inStep() {
        return micro == null ? this : new Moment(phase, step, null);
    }

    /** The number of the step that the phase belongs to. */
    public int stepNumber() {
        return Objects.requireNonNull(step, "a phase of a step");
    }

    /** For sentences: {@code model}, or {@code backward of step 1}. */
    public String words() {
        return step == null ? phase.label() : phase + " of step " + step;
    }

    /** For lists: {@code model}, {@code backward 1}, or {@code backward 1.3} for a pass of an accumulated step. */
    public String label() {
        return phase + (step == null ? "" : " " + step) + (micro == null ? "" : "." + micro);
    }
}
