package dev.headroom.validation.report;

import dev.headroom.validation.runs.Outcome;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Skipped;
import dev.headroom.validation.runs.Validation;
import dev.headroom.validation.scores.Distribution;
import dev.headroom.validation.scores.EstimatorScore;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Verdicts;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What all runs together say, as tables of the page. */
final class HtmlSummary {
    private static final int WORST = 15;
    private static final String[] ERRORS = {"runs", "exact", "median", "mean", "90 %", "worst"};

    private final Validation validation;
    private final Scores scores;
    private final List<String> exceeded;

    HtmlSummary(Validation validation, Scores scores, List<String> exceeded) {
        this.validation = validation;
        this.scores = scores;
        this.exceeded = exceeded;
    }

    /** Everything above the charts. */
    String text() {
        Verdicts v = scores.verdicts();
        return new Markup()
                .element(
                        "section",
                        m -> {
                            m.element("h1", "Predictions beside measurements", "id", "title");
                            m.element("dl", this::cards, "class", "cards");
                            exceeded.forEach(line -> m.element("p", line, "class", "bad"));
                            errors(m);
                            if (v.judged() > 0) {
                                verdicts(m, v);
                            }
                            if (!scores.estimators().isEmpty()) {
                                estimators(m);
                            }
                            if (!scores.worst().isEmpty()) {
                                worst(m);
                            }
                            if (!validation.skipped().isEmpty()) {
                                skipped(m);
                            }
                        },
                        "aria-labelledby",
                        "title")
                .toString();
    }

    private void cards(Markup m) {
        Verdicts v = scores.verdicts();
        Scores.Coverage c = scores.coverage();
        card(m, "measured", String.valueOf(validation.outcomes().size()));
        card(m, "median error", Percent.of(scores.all().errors().median()));
        card(m, "nine of ten within", Percent.of(scores.all().errors().ninety()));
        card(m, "verdicts right", v.judged() == 0 ? "-" : v.right() + " of " + v.judged());
        card(m, "Brier score", number(v.brier()));
        card(m, "intervals that hold", c.stated() == 0 ? "-" : Percent.of(c.share()));
    }

    private static void card(Markup m, String name, String value) {
        m.element("div", d -> d.element("dt", name).element("dd", value));
    }

    private void errors(Markup m) {
        HtmlTable.write(
                m,
                "Relative error of the worst peak, by what was measured, source, class of model and GPU",
                ERRORS,
                b -> {
                    group(b, "", scores.all());
                    groups(b, "", scores.quantities());
                    groups(b, "source: ", scores.sources());
                    groups(b, "class: ", scores.models());
                    groups(b, "GPU: ", scores.gpus());
                });
    }

    private static void groups(Markup body, String prefix, List<Scores.Group> groups) {
        groups.stream().filter(g -> g.runs() > 0).forEach(g -> group(body, prefix, g));
    }

    private static void group(Markup body, String prefix, Scores.Group g) {
        Distribution d = g.errors();
        HtmlTable.row(
                body,
                prefix + g.name(),
                String.valueOf(g.runs()),
                String.valueOf(g.exact()),
                Percent.of(d.median()),
                Percent.of(d.mean()),
                Percent.of(d.ninety()),
                Percent.of(d.worst()));
    }

    private void verdicts(Markup m, Verdicts v) {
        HtmlTable.write(m, "Verdicts", new String[] {"said to fit", "said to run out"}, b -> {
            HtmlTable.row(b, "got through", String.valueOf(v.fits()), String.valueOf(v.alarms()));
            HtmlTable.row(b, "ran out of memory", String.valueOf(v.missed()), String.valueOf(v.caught()));
        });
    }

    private void estimators(Markup m) {
        String[] heads = {"bytes compared", "median", "mean", "90 %", "worst", "verdicts right", "Brier"};
        HtmlTable.write(m, "Beside what others said of the same runs", heads, b -> {
            for (EstimatorScore e : scores.estimators()) {
                Distribution d = e.errors();
                HtmlTable.row(
                        b,
                        e.name(),
                        String.valueOf(d.count()),
                        Percent.of(d.median()),
                        Percent.of(d.mean()),
                        Percent.of(d.ninety()),
                        Percent.of(d.worst()),
                        e.verdicts().right() + " of " + e.verdicts().judged(),
                        number(e.verdicts().brier()));
            }
        });
    }

    private void worst(Markup m) {
        HtmlTable.write(m, "Furthest off", new String[] {"what", "error", "where"}, b -> {
            for (Outcome o : scores.worst().stream().limit(WORST).toList()) {
                Optional<Peak> peak = o.worst();
                b.element("tr", r -> r.element("td", o.source() + " " + o.name())
                        .element(
                                "td",
                                o.wrong()
                                        ? "verdict"
                                        : peak.map(p -> p.quantity().label()).orElse("-"))
                        .element("td", peak.map(p -> Percent.signed(p.error())).orElse("wrong"))
                        .element("td", o.divergence(), "class", "where"));
            }
        });
    }

    private void skipped(Markup m) {
        HtmlTable.write(m, "Not compared", new String[] {"why"}, b -> {
            for (Skipped s : validation.skipped()) {
                b.element("tr", r -> r.element("td", s.source() + " " + s.name())
                        .element("td", s.reason(), "class", "where"));
            }
        });
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.4f", value);
    }
}
