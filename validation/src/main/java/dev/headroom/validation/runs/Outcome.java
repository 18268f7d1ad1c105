package dev.headroom.validation.runs;

import dev.headroom.validation.Comparison;
import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A measured run beside its prediction.
 *
 * @param source where it comes from, such as {@code recordings}
 * @param name unique in its source
 * @param model class of the model, see {@link ModelClass}; "" where there is more than one
 * @param gpu as the catalogue names it, or else as CUDA does; "" where there is more than one
 * @param peaks that were measured and can be compared; none where only one side ran out of memory
 * @param verdict {@code null} where it is not known whether memory ran out
 * @param interval {@code null} where no interval was stated or nothing was measured that it is of
 * @param phases recorded ones beside predicted ones; none where only peaks were measured
 * @param divergence where prediction and measurement first differ, or what else is known of it; "" when nothing is
 * @param others what other estimators said, by name
 */
public record Outcome(
        String source,
        String name,
        String model,
        String gpu,
        List<Peak> peaks,
        Verdicts.@Nullable Verdict verdict,
        @Nullable Interval interval,
        List<Comparison.Row> phases,
        String divergence,
        Map<String, Answer> others) {

    /**
     * A stated interval and the measurement that should lie in it, in bytes.
     *
     * @param level the probability that it does, such as 0.9
     */
    public record Interval(double level, long low, long high, long measured) {
        /** Whether it does. */
        public boolean covers() {
            return low <= measured && measured <= high;
        }
    }

    /** The comparison of a quantity. */
    public Optional<Peak> peak(Quantity quantity) {
        return peaks.stream().filter(p -> p.quantity() == quantity).findFirst();
    }

    /** The peak with the largest error. */
    public Optional<Peak> worst() {
        return peaks.stream().max(Comparator.comparingDouble(Peak::size));
    }

    /** Whether every phase, or where there are none every peak, is equal to the byte. */
    public boolean exact() {
        return phases.isEmpty()
                ? !peaks.isEmpty() && peaks.stream().allMatch(p -> p.predicted() == p.measured())
                : phases.stream().allMatch(Comparison.Row::equal) && divergence.isEmpty();
    }

    /** Whether it is known whether memory ran out, and the prediction said otherwise. */
    public boolean wrong() {
        return verdict != null && !verdict.right();
    }
}
