package dev.headroom.estimator.timeline;

/**
 * A phase of the training loop and its events: those from {@code from} up to, but without, {@code to}.
 *
 * @param phase such as {@code forward}
 * @param step {@code null} before the first
 * @param micro the accumulated pass, or {@code null}
 */
public record PhaseSpan(String phase, Integer step, Integer micro, int from, int to) {
    /** Such as {@code backward of step 1}. */
    public String title() {
        String title = step == null ? phase : phase + " of step " + step;
        return micro == null ? title : title + ", pass " + micro;
    }
}
