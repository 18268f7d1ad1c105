package dev.headroom.validation.runs;

import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Distribution;
import dev.headroom.validation.scores.EstimatorScore;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What all outcomes together say.
 *
 * @param all over every run; the error of a run is that of its worst peak
 * @param quantities the same runs by what was measured
 * @param sources by {@link Outcome#source}
 * @param models by {@link Outcome#model}
 * @param gpus by {@link Outcome#gpu}
 * @param verdicts of all runs of which it is known whether memory ran out
 * @param coverage of stated intervals
 * @param estimators Headroom first, over the runs of which others said something
 * @param worst runs with a wrong verdict, then those with an error, the largest first
 */
public record Scores(
        Group all,
        List<Group> quantities,
        List<Group> sources,
        List<Group> models,
        List<Group> gpus,
        Verdicts verdicts,
        Coverage coverage,
        List<EstimatorScore> estimators,
        List<Outcome> worst) {
    /**
     * Some of the runs.
     *
     * @param exact those in which every phase, or where there are none every peak, is equal to the byte
     * @param errors relative
     */
    public record Group(String name, int runs, int exact, Distribution errors) {
        private static Group of(String name, Collection<Outcome> outcomes) {
            return new Group(
                    name,
                    outcomes.size(),
                    (int) outcomes.stream().filter(Outcome::exact).count(),
                    Distribution.of(outcomes.stream()
                            .flatMap(o -> o.worst().stream())
                            .mapToDouble(Peak::size)
                            .toArray()));
        }

        private static Group of(Quantity quantity, Collection<Outcome> outcomes) {
            List<Peak> peaks =
                    outcomes.stream().flatMap(o -> o.peak(quantity).stream()).toList();
            return new Group(
                    quantity.label(),
                    peaks.size(),
                    (int) peaks.stream()
                            .filter(p -> p.predicted() == p.measured())
                            .count(),
                    Distribution.of(peaks.stream().mapToDouble(Peak::size).toArray()));
        }
    }

    /**
     * How many stated intervals hold what was measured.
     *
     * @param level that was stated, or NaN without intervals
     */
    public record Coverage(double level, int covered, int stated) {
        /** Part of them that does; NaN without intervals. */
        public double share() {
            return stated == 0 ? Double.NaN : covered / (double) stated;
        }
    }

    /** Counts. */
    public static Scores of(List<Outcome> outcomes) {
        List<Outcome.Interval> intervals = outcomes.stream()
                .map(Outcome::interval)
                .filter(Objects::nonNull)
                .toList();
        return new Scores(
                Group.of("all", outcomes),
                List.of(
                        Group.of(Quantity.ALLOCATED, outcomes),
                        Group.of(Quantity.RESERVED, outcomes),
                        Group.of(Quantity.DEVICE, outcomes)),
                groups(outcomes, Outcome::source),
                groups(outcomes, Outcome::model),
                groups(outcomes, Outcome::gpu),
                Verdicts.of(outcomes.stream()
                        .map(Outcome::verdict)
                        .filter(Objects::nonNull)
                        .toList()),
                new Coverage(
                        intervals.isEmpty() ? Double.NaN : intervals.get(0).level(),
                        (int) intervals.stream()
                                .filter(Outcome.Interval::covers)
                                .count(),
                        intervals.size()),
                estimators(outcomes),
                worst(outcomes));
    }

    private static List<Group> groups(List<Outcome> outcomes, Function<Outcome, String> key) {
        Map<String, List<Outcome>> groups = new TreeMap<>();
        for (Outcome outcome : outcomes) {
            if (!key.apply(outcome).isEmpty()) {
                groups.computeIfAbsent(key.apply(outcome), k -> new ArrayList<>())
                        .add(outcome);
            }
        }
        return groups.entrySet().stream()
                .map(e -> Group.of(e.getKey(), e.getValue()))
                .toList();
    }

    private static List<EstimatorScore> estimators(List<Outcome> all) {
        List<Outcome> outcomes = all.stream().filter(o -> !o.others().isEmpty()).toList();
        if (outcomes.isEmpty()) {
            return List.of();
        }
        List<EstimatorScore> out = new ArrayList<>();
        out.add(EstimatorScore.of(
                "headroom",
                outcomes.stream()
                        .map(o -> new Answer(o.worst().orElse(null), o.verdict()))
                        .toList()));
        Map<String, List<Answer>> answers = new TreeMap<>();
        outcomes.forEach(o -> o.others().forEach((name, answer) -> answers.computeIfAbsent(name, k -> new ArrayList<>())
                .add(answer)));
        answers.entrySet().stream()
                .sorted(Comparator.comparingInt(
                        (Map.Entry<String, List<Answer>> e) -> -e.getValue().size()))
                .forEach(e -> out.add(EstimatorScore.of(e.getKey(), e.getValue())));
        return out;
    }

    private static List<Outcome> worst(List<Outcome> outcomes) {
        return outcomes.stream()
                .filter(o -> o.wrong() || o.worst().map(Peak::size).orElse(0.0) > 0)
                .sorted(Comparator.comparing(Outcome::wrong)
                        .thenComparing(o -> o.worst().map(Peak::size).orElse(0.0))
                        .reversed())
                .toList();
    }
}
