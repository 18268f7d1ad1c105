package dev.headroom.validation.scores;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Verdicts beside what happened.
 *
 * @param fits said to fit, and did
 * @param missed said to fit, and ran out of memory: the costly kind
 * @param alarms said to run out of memory, and got through
 * @param caught said to run out of memory, and did
 * @param brier mean squared distance of the probability of running out of memory from what happened, 0 or 1; a verdict
 *     without a probability counts as 0 or 1; NaN without verdicts
 */
public record Verdicts(int fits, int missed, int alarms, int caught, double brier) {
    /**
     * One verdict.
     *
     * @param measured whether memory ran out
     * @param predicted whether it was said to
     * @param probability of running out that was stated, or {@code null}
     */
    public record Verdict(
            boolean measured, boolean predicted, @Nullable Double probability) {
        /** Whether it came as it was said. */
        public boolean right() {
            return measured == predicted;
        }

        private double brier() {
            double stated = probability == null ? (predicted ? 1 : 0) : probability;
            double distance = stated - (measured ? 1 : 0);
            return distance * distance;
        }
    }

    /** Counts. */
    public static Verdicts of(Collection<Verdict> verdicts) {
        return new Verdicts(
                count(verdicts, false, false),
                count(verdicts, true, false),
                count(verdicts, false, true),
                count(verdicts, true, true),
                verdicts.stream().mapToDouble(Verdict::brier).average().orElse(Double.NaN));
    }

    /** All of them. */
    public int judged() {
        return fits + missed + alarms + caught;
    }

    /** Those that came as they were said. */
    public int right() {
        return fits + caught;
    }

    /** Those that did not. */
    public int wrong() {
        return missed + alarms;
    }

    private static int count(Collection<Verdict> all, boolean measured, boolean predicted) {
        return (int) all.stream()
                .filter(v -> v.measured == measured && v.predicted == predicted)
                .count();
    }
}
