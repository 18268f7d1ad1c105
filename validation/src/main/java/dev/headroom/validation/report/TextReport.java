package dev.headroom.validation.report;

import dev.headroom.app.report.Columns;
import dev.headroom.model.units.Mib;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.runs.Outcome;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Skipped;
import dev.headroom.validation.runs.Validation;
import dev.headroom.validation.scores.Distribution;
import dev.headroom.validation.scores.EstimatorScore;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A validation on the terminal: one screen, or every run. */
public final class TextReport {
    private static final int NAME = 22;
    private static final int NUMBER = 10;
    private static final int WIDTH = 79;
    private static final int RUN = 40;
    private static final int WORST = 2;

    private final Validation validation;
    private final Scores scores;
    private final PrintWriter out;

    private TextReport(Validation validation, Scores scores, PrintWriter out) {
        this.validation = validation;
        this.scores = scores;
        this.out = out;
    }

    /** One screen. */
    public static void write(Validation validation, Scores scores, PrintWriter out) {
        TextReport report = new TextReport(validation, scores, out);
        report.head();
        report.groups(scores.quantities(), scores.sources());
        report.verdicts();
        report.estimators();
        report.worst(WORST);
    }

    /** The screen, errors by class of model and by GPU, and every run. */
    public static void writeAll(Validation validation, Scores scores, PrintWriter out) {
        TextReport report = new TextReport(validation, scores, out);
        report.head();
        report.groups(scores.quantities(), scores.sources(), scores.models(), scores.gpus());
        report.verdicts();
        report.estimators();
        report.runs();
        validation.skipped().forEach(report::skipped);
    }

    private void head() {
        out.println(String.format(
                Locale.ROOT,
                "%d measured and %d skipped, predicted in %.1f s",
                validation.outcomes().size(),
                validation.skipped().size(),
                validation.seconds()));
        out.println();
    }

    @SafeVarargs
    private void groups(List<Scores.Group>... groups) {
        out.println(Columns.left("relative error", NAME) + right("runs", "exact", "median", "mean", "90 %", "worst"));
        group(scores.all());
        for (List<Scores.Group> some : groups) {
            some.stream().filter(g -> g.runs() > 0).forEach(this::group);
        }
    }

    private void group(Scores.Group g) {
        Distribution d = g.errors();
        out.println(Columns.left(printable(g.name()), NAME)
                + right(
                        String.valueOf(g.runs()),
                        String.valueOf(g.exact()),
                        Percent.of(d.median()),
                        Percent.of(d.mean()),
                        Percent.of(d.ninety()),
                        Percent.of(d.worst())));
    }

    /** The first two columns are narrow. */
    private static String right(String... cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.length; i++) {
            line.append(Columns.right(cells[i], i < 2 ? NUMBER - 2 : NUMBER));
        }
        return line.toString();
    }

    private void verdicts() {
        Verdicts v = scores.verdicts();
        if (v.judged() > 0) {
            out.println(String.format(
                    Locale.ROOT,
                    "verdicts: %d of %d right, %d ran out unexpectedly, %d false alarms; Brier %.4f",
                    v.right(),
                    v.judged(),
                    v.missed(),
                    v.alarms(),
                    v.brier()));
        }
        Scores.Coverage c = scores.coverage();
        if (c.stated() > 0) {
            out.println(String.format(
                    Locale.ROOT,
                    "intervals of %.0f %%: %d of %d hold what was measured (%s)",
                    100 * c.level(),
                    c.covered(),
                    c.stated(),
                    Percent.of(c.share())));
        }
    }

    private void estimators() {
        if (scores.estimators().isEmpty()) {
            return;
        }
        out.println();
        out.println(Columns.left("same runs", NAME) + right("", "bytes", "median", "mean", "verdicts", "Brier"));
        for (EstimatorScore e : scores.estimators()) {
            out.println(Columns.left(e.name(), NAME)
                    + right(
                            "",
                            String.valueOf(e.compared()),
                            Percent.of(e.errors().median()),
                            Percent.of(e.errors().mean()),
                            e.verdicts().right() + "/" + e.verdicts().judged(),
                            String.format(Locale.ROOT, "%.4f", e.verdicts().brier())));
        }
    }

    private void worst(int most) {
        if (scores.worst().isEmpty()) {
            return;
        }
        out.println();
        for (Outcome o : scores.worst().subList(0, Math.min(most, scores.worst().size()))) {
            String where = o.divergence().isEmpty() ? "" : ": " + o.divergence();
            out.println(Columns.left(printable("worst: " + error(o) + " " + o.source() + " " + o.name() + where), WIDTH)
                    .stripTrailing());
        }
    }

    private static String error(Outcome o) {
        if (o.wrong() && o.verdict() != null) {
            return "said to " + (o.verdict().predicted() ? "run out of memory" : "fit");
        }
        return o.worst()
                .map(p -> Percent.signed(p.error()) + " " + p.quantity().label())
                .orElse("-");
    }

    /** Peaks in MiB with the error of each, then the phases that differ. */
    private void runs() {
        out.println();
        StringBuilder heads = new StringBuilder(Columns.left("MiB predicted, measured, error", RUN));
        for (Quantity quantity : Quantity.values()) {
            heads.append(Columns.right(quantity.label(), 3 * NUMBER));
        }
        out.println(heads + "  verdict");
        for (Outcome o : validation.outcomes()) {
            StringBuilder line = new StringBuilder(Columns.path(printable(o.source() + " " + o.name()), RUN));
            for (Quantity quantity : Quantity.values()) {
                line.append(o.peak(quantity)
                        .map(p -> Columns.right(Mib.number(p.predicted()), NUMBER)
                                + Columns.right(Mib.number(p.measured()), NUMBER)
                                + Columns.right(Percent.signed(p.error()), NUMBER))
                        .orElse(" ".repeat(3 * NUMBER - 1) + "-"));
            }
            out.println(line + "  " + verdict(o.verdict()));
            for (Comparison.Row row : o.phases()) {
                if (!row.equal()) {
                    out.println("    " + row.difference());
                }
            }
            if (!o.divergence().isEmpty()) {
                out.println("    " + printable(o.divergence()));
            }
        }
    }

    private static String verdict(Verdicts.@Nullable Verdict v) {
        if (v == null) {
            return "-";
        }
        String risk = v.probability() == null ? "" : " (risk " + Percent.of(v.probability()) + ")";
        return (v.predicted() ? "OOM" : "fits")
                + risk
                + (v.right() ? "" : ", measured " + (v.measured() ? "OOM" : "fits"));
    }

    private void skipped(Skipped s) {
        out.println(printable(s.source() + " " + s.name() + ": " + s.reason()));
    }

    /** Names come out of files: no control characters to a terminal. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
