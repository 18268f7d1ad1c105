package dev.headroom.validation.report;

import dev.headroom.model.units.Mib;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.runs.Outcome;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Every run as a row of the page; its script filters and sorts them. */
final class HtmlRuns {
    private HtmlRuns() {}

    static String of(List<Outcome> outcomes) {
        return new Markup()
                .element("section", m -> section(m, outcomes), "aria-labelledby", "all-title")
                .toString();
    }

    private static void section(Markup m, List<Outcome> outcomes) {
        m.element("h2", "Every run", "id", "all-title");
        m.element("p", "Peaks in MiB: predicted, measured, and the error.", "class", "quiet");
        m.element(
                "p",
                p -> p.element("label", "Filter ", "for", "filter")
                        .element("input", i -> {}, "id", "filter", "type", "search")
                        .text(" ")
                        .element("span", "", "id", "shown", "role", "status"),
                "class",
                "controls");
        HtmlTable.write(m, "", heads(), b -> outcomes.forEach(o -> run(b, o)), "id", "runs");
    }

    private static String[] heads() {
        List<String> out = new ArrayList<>(List.of("class", "GPU"));
        for (Quantity quantity : Quantity.values()) {
            out.addAll(List.of(quantity.label(), "measured", "error"));
        }
        out.addAll(List.of("interval", "risk", "verdict", "phases"));
        return out.toArray(String[]::new);
    }

    private static void run(Markup body, Outcome o) {
        body.element("tr", r -> {
            r.element("td", o.source() + " " + o.name());
            r.element("td", o.model());
            r.element("td", o.gpu());
            for (Quantity quantity : Quantity.values()) {
                Optional<Peak> peak = o.peak(quantity);
                cell(r, peak.map(p -> Mib.number(p.predicted())), peak.map(p -> (double) p.predicted()));
                cell(r, peak.map(p -> Mib.number(p.measured())), peak.map(p -> (double) p.measured()));
                cell(r, peak.map(p -> Percent.signed(p.error())), peak.map(Peak::size));
            }
            interval(r, o.interval());
            Optional<Double> risk = Optional.ofNullable(o.verdict()).map(v -> v.probability());
            cell(r, risk.map(Percent::of), risk);
            r.element("td", verdict(o), "class", o.wrong() ? "wrong" : "right");
            phases(r, o);
        });
    }

    private static void interval(Markup row, Outcome.@Nullable Interval i) {
        String text = i == null ? "" : Mib.number(i.low()) + " to " + Mib.number(i.high());
        row.element(
                "td",
                text,
                "class",
                i == null || i.covers() ? "right" : "wrong",
                "data-key",
                i == null ? "-1" : String.valueOf(i.high() - i.low()));
    }

    /** How many are exact; the others open. */
    private static void phases(Markup row, Outcome o) {
        List<String> off = o.phases().stream()
                .filter(p -> !p.equal())
                .map(Comparison.Row::difference)
                .toList();
        int all = o.phases().size();
        String text = all == 0 ? "" : all - off.size() + " of " + all + " exact";
        row.element(
                "td",
                cell -> {
                    if (off.isEmpty()) {
                        cell.text(text);
                    } else {
                        cell.element("details", d -> {
                            d.element("summary", text);
                            off.forEach(line -> d.element("div", line));
                        });
                    }
                },
                "data-key",
                all == 0 ? "-1" : String.valueOf((all - off.size()) / (double) all));
    }

    private static String verdict(Outcome o) {
        if (o.verdict() == null) {
            return "";
        }
        String predicted = o.verdict().predicted() ? "OOM" : "fits";
        return o.wrong() ? predicted + ", measured " + (o.verdict().measured() ? "OOM" : "fits") : predicted;
    }

    /** With what to sort by. */
    private static void cell(Markup row, Optional<String> text, Optional<Double> key) {
        row.element("td", text.orElse(""), "data-key", key.map(String::valueOf).orElse("-1"));
    }
}
