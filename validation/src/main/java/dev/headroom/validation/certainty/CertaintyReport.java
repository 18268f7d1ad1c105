package dev.headroom.validation.certainty;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.certainty.Span;
import dev.headroom.validation.published.Figure;
import dev.headroom.validation.published.PublishedReport;
import dev.headroom.validation.published.XmemRow;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Prints how well intervals and probabilities hold on the published runs, leaving out the model, or the card, that is
 * asked about; beside them other estimators, calibrated alike.
 */
public final class CertaintyReport {
    private static final double MIB = 1 << 20;
    private static final Map<String, Function<XmemRow, String>> GROUPS = groups();
    private static final List<String> OTHERS = List.of("xmem", "dnnmem", "schedtune", "llmem");

    /**
     * How intervals did.
     *
     * @param runs counted
     * @param coverage part of the measurements that lie in their interval
     * @param width mean, bytes
     * @param relative mean width as a part of the measurement
     */
    public record Intervals(long runs, double coverage, double width, double relative) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d | %.1f %% | %.0f MiB | %.1f %%",
                    runs,
                    100 * coverage,
                    width / MIB,
                    100 * relative);
        }
    }

    private CertaintyReport() {}

    private static Map<String, Function<XmemRow, String>> groups() {
        Map<String, Function<XmemRow, String>> groups = new LinkedHashMap<>();
        groups.put("model", XmemRow::archive);
        groups.put("card", XmemRow::gpu);
        return groups;
    }

    /** No arguments. */
    public static void main(String[] arguments) {
        print(System.out);
    }

    private static void print(PrintStream out) {
        out.println("| left out | estimator | runs | 90 % intervals hold | mean width | of the measurement |");
        out.println("|---|---|---|---|---|---|");
        GROUPS.forEach((what, group) -> table(out, what, group));
        out.println();
        out.println(covered() + " of " + systems().size()
                + " figures of reserved and device memory of P4 to P8 lie within their intervals;"
                + " nothing was calibrated with"
                + " them.");
        for (Map.Entry<String, Function<XmemRow, String>> e : GROUPS.entrySet()) {
            out.printf(
                    Locale.ROOT,
                    "Not above the interval of predict, with the %s left out: %.1f %% of the runs.%n",
                    e.getKey(),
                    100 * notAbove(e.getValue()));
        }
        out.println();
        out.println("| estimator | runs | Brier score of verdicts | of calibrated probabilities |");
        out.println("|---|---|---|---|");
        out.printf(
                Locale.ROOT, "| Headroom | %d | | %.5f |%n", MeasuredRun.all().size(), brier(XmemRow::archive));
        for (String other : OTHERS) {
            List<Rival> runs = Rival.of(other);
            out.printf(
                    Locale.ROOT,
                    "| %s | %d | %.5f | %.5f |%n",
                    other,
                    runs.size(),
                    verdictBrier(other),
                    calibratedBrier(other));
        }
    }

    /**
     * Figures of reserved or device memory of the systems P4 to P8; what P1 to P3 showed of the device has a constant
     * that was read off it ({@code Perceptron}).
     */
    static List<Figure> systems() {
        return Systems.FIGURES;
    }

    private static final class Systems {
        private static final List<Figure> FIGURES = PublishedReport.figures().stream()
                .filter(f -> f.system().compareTo("P4") >= 0)
                .filter(f -> f.what().endsWith("nvidia-smi")
                        || f.what().endsWith("reserved")
                        || f.what().endsWith("after the first epoch"))
                .toList();
    }

    /** How many of them lie within the interval around what was predicted. */
    static long covered() {
        return systems().stream()
                .filter(f -> {
                    long predicted = Math.round(f.predicted() * MIB);
                    Interval i = Deviations.published().interval(new Span(predicted, predicted), Certainty.LEVEL);
                    double published = f.published() * MIB;
                    return i.low() <= published && published <= i.high();
                })
                .count();
    }

    private static void table(PrintStream out, String what, Function<XmemRow, String> group) {
        Predicate<XmemRow> all = r -> true;
        out.println("| " + what + " | Headroom | " + intervals(group, all) + " |");
        Set<String> parts = new LinkedHashSet<>();
        MeasuredRun.comparable().forEach(r -> parts.add(r.row().kind()));
        MeasuredRun.comparable().forEach(r -> parts.add(r.row().gpu()));
        for (String part : parts) {
            out.println("| " + what + " | Headroom, " + part + " | "
                    + intervals(group, r -> r.kind().equals(part) || r.gpu().equals(part)) + " |");
        }
        out.println("| " + what + " | Headroom, intervals of predict | "
                + intervals(group, all, r -> r, MeasuredRun::printed) + " |");
        out.println("| " + what + " | Headroom, nothing missing from base lines | "
                + intervals(group, all, MeasuredRun::printed, MeasuredRun::printed) + " |");
        out.println(
                "| " + what + " | Headroom, where xMem can be compared | " + intervals(group, xmemCompares()) + " |");
        out.println("| " + what + " | xMem | " + rivalIntervals("xmem", group) + " |");
    }

    /** Which runs xMem's bytes can be compared of. */
    static Predicate<XmemRow> xmemCompares() {
        Set<XmemRow> rows = new LinkedHashSet<>();
        Rival.of("xmem").stream().filter(Rival::comparable).forEach(r -> rows.add(r.row()));
        return rows::contains;
    }

    /**
     * Headroom's intervals.
     *
     * @param group what is left out together
     * @param which runs to count; all others still calibrate
     */
    static Intervals intervals(Function<XmemRow, String> group, Predicate<XmemRow> which) {
        return intervals(group, which, r -> r, r -> r);
    }

    /**
     * Headroom's intervals of spans other than those of {@link MeasuredRun#of}.
     *
     * @param seen a run as it calibrates
     * @param asked a run as its interval is made
     */
    static Intervals intervals(
            Function<XmemRow, String> group,
            Predicate<XmemRow> which,
            UnaryOperator<MeasuredRun> seen,
            UnaryOperator<MeasuredRun> asked) {
        List<MeasuredRun> runs = MeasuredRun.comparable();
        LeftOut<MeasuredRun> left = new LeftOut<>(
                runs, r -> group.apply(r.row()), r -> seen.apply(r).deviation(), runs);
        Predicate<MeasuredRun> counted = r -> which.test(r.row());
        return new Intervals(
                runs.stream().filter(counted).count(),
                left.mean(runs, counted, (r, d) -> asked.apply(r).covered(d) ? 1 : 0),
                left.mean(runs, counted, (r, d) -> asked.apply(r).width(d)),
                left.mean(
                        runs,
                        counted,
                        (r, d) -> asked.apply(r).width(d) / r.row().ground()));
    }

    /**
     * Part of the measurements that do not exceed the interval of predictions: the end that decides whether a run fits.
     */
    static double notAbove(Function<XmemRow, String> group) {
        List<MeasuredRun> runs = MeasuredRun.comparable();
        LeftOut<MeasuredRun> left = new LeftOut<>(runs, r -> group.apply(r.row()), MeasuredRun::deviation, runs);
        return left.mean(runs, r -> true, (r, d) -> r.printed().above(d) ? 0 : 1);
    }

    /** Another estimator's intervals, calibrated alike. */
    static Intervals rivalIntervals(String estimator, Function<XmemRow, String> group) {
        List<Rival> runs =
                Rival.of(estimator).stream().filter(Rival::comparable).toList();
        LeftOut<Rival> left = new LeftOut<>(runs, r -> group.apply(r.row()), Rival::deviation, runs);
        return new Intervals(
                runs.size(),
                left.mean(runs, r -> true, (r, d) -> r.covered(d) ? 1 : 0),
                left.mean(runs, r -> true, Rival::width),
                left.mean(runs, r -> true, (r, d) -> r.width(d) / r.row().ground()));
    }

    /** The Brier score of Headroom's probabilities: the mean square of what they missed. */
    static double brier(Function<XmemRow, String> group) {
        LeftOut<MeasuredRun> left = new LeftOut<>(
                MeasuredRun.comparable(), r -> group.apply(r.row()), MeasuredRun::deviation, MeasuredRun.all());
        return left.mean(
                MeasuredRun.all(),
                r -> true,
                (r, d) -> square(r.risk(d), r.row().oom()));
    }

    /** The Brier score of another estimator's verdicts, each taken as sure. */
    static double verdictBrier(String estimator) {
        return Rival.of(estimator).stream()
                .mapToDouble(r -> square(r.saidOom() ? 1 : 0, r.row().oom()))
                .average()
                .orElseThrow();
    }

    /** The Brier score of probabilities made of another estimator's bytes, calibrated alike. */
    static double calibratedBrier(String estimator) {
        List<Rival> all = Rival.of(estimator);
        List<Rival> compared = all.stream().filter(Rival::comparable).toList();
        LeftOut<Rival> left = new LeftOut<>(compared, r -> r.row().archive(), Rival::deviation, all);
        return left.mean(all, r -> true, (r, d) -> square(r.risk(d), r.row().oom()));
    }

    private static double square(double probability, boolean happened) {
        double missed = probability - (happened ? 1 : 0);
        return missed * missed;
    }
}
