package dev.headroom.validation.certainty;

import dev.headroom.estimator.certainty.Deviations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Calibrations that leave out a group at a time: what they say of a run comes from runs of other models, or of other
 * cards.
 *
 * @param <T> a run
 */
final class LeftOut<T> {
    private final Map<Object, Deviations> without = new LinkedHashMap<>();
    private final Function<T, ?> group;

    /**
     * Calibrates.
     *
     * @param runs whose deviations count
     * @param group what is left out together
     * @param all runs that will be asked about, of groups that may have no deviation
     */
    LeftOut(List<T> runs, Function<T, ?> group, ToDoubleFunction<T> deviation, List<T> all) {
        this.group = group;
        for (T run : all) {
            without.computeIfAbsent(
                    group.apply(run),
                    g -> new Deviations(runs.stream()
                            .filter(r -> !Objects.equals(group.apply(r), g))
                            .mapToDouble(deviation)
                            .toArray()));
        }
    }

    /** The calibration without a run's group. */
    Deviations of(T run) {
        return Objects.requireNonNull(without.get(group.apply(run)));
    }

    /** The mean of a figure over the runs of a kind, each with the calibration that did not see it. */
    double mean(List<T> runs, Predicate<T> which, Figure<T> figure) {
        return runs.stream()
                .filter(which)
                .mapToDouble(r -> figure.of(r, of(r)))
                .average()
                .orElse(Double.NaN);
    }

    /**
     * A figure of a run.
     *
     * @param <T> a run
     */
    @FunctionalInterface
    interface Figure<T> {
        double of(T run, Deviations others);
    }
}
