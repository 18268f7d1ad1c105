package dev.headroom.validation.published;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;

/** Prints every run of the xMem repository, and the errors of all estimators over the same runs. */
public final class XmemReport {
    private static final double MIB = 1 << 20;
    private static final List<String> OTHERS = List.of("xmem", "dnnmem", "schedtune", "llmem");

    /**
     * How one estimator did. Bytes are compared where the run got through and the estimator said so, as the xMem paper does.
     *
     * @param compared runs whose bytes are compared
     * @param median of their relative errors
     * @param mean of their relative errors
     * @param right verdicts
     * @param judged runs with a verdict
     */
    public record Score(int compared, double median, double mean, long right, long judged) {
        private static Score of(double[] errors, long right, long judged) {
            double sum = 0;
            for (double e : errors) {
                sum += e;
            }
            return new Score(errors.length, Medians.of(errors), sum / Math.max(errors.length, 1), right, judged);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d | %.2f %% | %.2f %% | %d of %d",
                    compared,
                    100 * median,
                    100 * mean,
                    right,
                    judged);
        }
    }

    private XmemReport() {}

    /** Arguments: a word that the names of the runs must have; none for all. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        List<XmemResult> results = new ArrayList<>();
        for (XmemRow row : XmemRow.all()) {
            if (arguments.length == 0 || (row.kind() + " " + row.name()).contains(arguments[0])) {
                XmemResult r = XmemResult.of(row);
                results.add(r);
                out.println(line(r));
            }
        }
        out.println();
        out.println("| runs | estimator | compared | median error | mean error | verdicts right |");
        out.println("|---|---|---|---|---|---|");
        table(out, "all", results, r -> true);
        for (String kind : List.of("cnn", "transformer")) {
            table(out, kind, results, r -> r.row().kind().equals(kind));
        }
        for (String gpu : List.of("rtx-3060", "rtx-4060", "a100-40gb")) {
            table(out, gpu, results, r -> r.row().gpu().equals(gpu));
        }
        out.println();
        out.println(
                results.stream().filter(r -> r.comparable() && r.explained()).count() + " of "
                        + results.stream().filter(XmemResult::comparable).count()
                        + " differ by no more than the base line's and the libraries' uncertainty");
    }

    private static String line(XmemResult r) {
        XmemRow row = r.row();
        String difference = r.comparable()
                ? String.format(Locale.ROOT, "%+6.2f %% %+7.1f", 100 * r.error(), (r.reserved() - row.ground()) / MIB)
                : (row.oom() ? "OOM" : "fits") + ", predicted " + (r.oom() ? "OOM" : "fits");
        return String.format(
                Locale.ROOT,
                "%-58s measured %8.1f predicted %8.1f start %7.1f %s",
                row.name(),
                row.ground() / MIB,
                r.reserved() / MIB,
                r.atStart() / MIB,
                difference);
    }

    private static void table(PrintStream out, String name, List<XmemResult> all, Predicate<XmemResult> which) {
        List<XmemResult> results = all.stream().filter(which).toList();
        out.println("| " + name + " | Headroom | " + score(results) + " |");
        for (String other : OTHERS) {
            Score score = score(results, other);
            if (score.judged > 0) {
                out.println("| " + name + " | " + other + " | " + score + " |");
            }
        }
    }

    /** Headroom's score. */
    public static Score score(List<XmemResult> results) {
        return Score.of(
                results.stream()
                        .filter(XmemResult::comparable)
                        .mapToDouble(r -> Math.abs(r.error()))
                        .toArray(),
                results.stream().filter(r -> r.oom() == r.row().oom()).count(),
                results.size());
    }

    /** Another estimator's score over those of the runs that it supports. */
    public static Score score(List<XmemResult> results, String other) {
        record Answer(XmemRow row, XmemRow.Estimate said) {}
        List<Answer> answers = results.stream()
                .map(r -> new Answer(r.row(), r.row().estimates().get(other)))
                .filter(a -> Objects.nonNull(a.said))
                .toList();
        return Score.of(
                answers.stream()
                        .filter(a -> !a.row.oom() && !a.said.oom())
                        .mapToDouble(a -> Math.abs(a.said.bytes() - a.row.ground()) / a.row.ground())
                        .toArray(),
                answers.stream().filter(a -> a.said.oom() == a.row.oom()).count(),
                answers.size());
    }
}
