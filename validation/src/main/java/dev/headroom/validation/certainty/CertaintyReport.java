package dev.headroom.validation.certainty;

import dev.headroom.allocator.Bytes;
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
import java.util.function.ToDoubleFunction;

/**
 * Prints how well intervals and probabilities hold on the published runs, leaving out the model, or the card, that is
 * asked about; beside them other estimators, calibrated alike.
 */
public final class CertaintyReport {
    private static final Map<String, LeftOutGroup> GROUPS = groups();
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
                    width / Bytes.MIB,
                    100 * relative);
        }
    }

    private CertaintyReport() {}

    /**
     * What is left out together.
     *
     * @param of a run
     * @param shipped the calibration that ships without one
     */
    public record LeftOutGroup(Function<XmemRow, String> of, Function<String, Deviations> shipped) {
        public static final LeftOutGroup MODEL = new LeftOutGroup(XmemRow::archive, ShippedDeviations::withoutModel);
        public static final LeftOutGroup CARD = new LeftOutGroup(XmemRow::gpu, ShippedDeviations::withoutCard);

        /** What ships without a run's group. */
        Deviations without(MeasuredRun run) {
            return shipped.apply(of.apply(run.row()));
        }
    }

    private static Map<String, LeftOutGroup> groups() {
        Map<String, LeftOutGroup> groups = new LinkedHashMap<>();
        groups.put("model", LeftOutGroup.MODEL);
        groups.put("card", LeftOutGroup.CARD);
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
        for (Map.Entry<String, LeftOutGroup> e : GROUPS.entrySet()) {
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
                Locale.ROOT, "| Headroom | %d | | %.5f |%n", MeasuredRun.all().size(), brier(LeftOutGroup.MODEL));
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
                    long predicted = Math.round(f.predicted() * Bytes.MIB);
                    Interval i = Deviations.published().interval(new Span(predicted, predicted), Certainty.LEVEL);
                    double published = f.published() * Bytes.MIB;
                    return i.low() <= published && published <= i.high();
                })
                .count();
    }

    private static void table(PrintStream out, String what, LeftOutGroup group) {
        Predicate<XmemRow> all = r -> true;
        out.println("| " + what + " | Headroom | " + intervals(group, all) + " |");
        Set<String> parts = new LinkedHashSet<>();
        MeasuredRun.comparable().forEach(r -> parts.add(r.row().kind()));
        MeasuredRun.comparable().forEach(r -> parts.add(r.row().gpu()));
        for (String part : parts) {
            out.println("| " + what + " | Headroom, " + part + " | "
                    + intervals(group, r -> r.kind().equals(part) || r.gpu().equals(part)) + " |");
        }
        out.println(
                "| " + what + " | Headroom, where xMem can be compared | " + intervals(group, xmemCompares()) + " |");
        out.println("| " + what + " | xMem | " + rivalIntervals("xmem", group.of()) + " |");
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
     * @param which runs to count
     */
    public static Intervals intervals(LeftOutGroup group, Predicate<XmemRow> which) {
        List<MeasuredRun> runs = MeasuredRun.comparable().stream()
                .filter(r -> which.test(r.row()))
                .toList();
        return new Intervals(
                runs.size(),
                mean(runs, r -> r.covered(group.without(r)) ? 1 : 0),
                mean(runs, r -> r.width(group.without(r))),
                mean(runs, r -> r.width(group.without(r)) / r.row().ground()));
    }

    private static double mean(List<MeasuredRun> runs, ToDoubleFunction<MeasuredRun> figure) {
        return runs.stream().mapToDouble(figure).average().orElse(Double.NaN);
    }

    /**
     * Part of the measurements that do not exceed the interval of predictions: the end that decides whether a run fits.
     */
    static double notAbove(LeftOutGroup group) {
        return mean(MeasuredRun.comparable(), r -> r.above(group.without(r)) ? 0 : 1);
    }

    /** Another estimator's intervals, calibrated alike. */
    public static Intervals rivalIntervals(String estimator, Function<XmemRow, String> group) {
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
    static double brier(LeftOutGroup group) {
        return mean(
                MeasuredRun.all(), r -> square(r.risk(group.without(r)), r.row().oom()));
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
