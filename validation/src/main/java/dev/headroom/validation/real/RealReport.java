package dev.headroom.validation.real;

import dev.headroom.allocator.Bytes;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Tables over the sets of a folder, as text that is Markdown too. */
public final class RealReport {
    private static final double HUNDRED = 100;
    private static final int WORST = 12;
    private static final String COLUMNS =
            " | runs | median | mean | 90 % | within 1 % | within 5 % |\n|---|---|---|---|---|---|---|\n";

    private final List<RealScore> scores;

    private RealReport(List<RealScore> scores) {
        this.scores = scores;
    }

    /** Predicts every run of some sets. */
    public static RealReport of(List<RealSet> sets) {
        return new RealReport(sets.stream().map(RealScore::of).toList());
    }

    List<RealScore> scores() {
        return scores;
    }

    /** Prints all of it. */
    public void write(PrintWriter out) {
        for (RealScore s : scores) {
            out.printf(Locale.ROOT, "## %s, %s%n%n", s.set().name(), s.set().gpu());
            write(s, out);
            out.println();
        }
    }

    /** One set. */
    static void write(RealScore s, PrintWriter out) {
        int unread = s.set().runs().size() - s.results().size();
        out.printf(
                Locale.ROOT,
                "%d runs, %d compared in bytes%s%s. Constant of set and card%s: %d MiB (%s).%n%n",
                s.results().size(),
                s.compared().size(),
                s.set().left().isEmpty()
                        ? ""
                        : "; left out: " + String.join(", ", s.set().left()),
                unread == 0 ? "" : "; " + unread + " could not be predicted",
                s.half() == 0 ? ", for verdicts alone" : "",
                s.constant() / Bytes.MIB,
                s.half() == 0 ? "Headroom's own estimate" : s.half() / Bytes.MIB + " MiB from one half of the models");
        if (!s.compared().isEmpty()) {
            bytes(s, out);
        }
        verdicts(s, out);
    }

    private static void bytes(RealScore s, PrintWriter out) {
        out.print("| relative error" + COLUMNS);
        out.printf("| Headroom | %s |%n", RealScore.line(s.errors(r -> true, s.constant())));
        if (s.half() != 0) {
            out.printf(
                    "| Headroom, half that the constant was not learned from | %s |%n",
                    RealScore.line(s.errors(r -> !RealScore.learned(r), s.half())));
        }
        for (String peer : s.peers()) {
            out.printf("| %s | %s |%n", peer, RealScore.line(s.errors(peer, false)));
            out.printf("| %s with a constant of its own | %s |%n", peer, RealScore.line(s.errors(peer, true)));
        }
        out.printf(
                Locale.ROOT,
                "%nWithin 4 MiB%s: %.2f %%.%n",
                s.half() == 0 ? "" : " of the constant",
                HUNDRED * s.withinMib(4));
        worst(s, out);
    }

    private static void verdicts(RealScore s, PrintWriter out) {
        if (s.verdicts().judged() > 0) {
            out.printf(
                    Locale.ROOT,
                    "%nVerdicts: %d of %d right (%.2f %%), %d ran out unexpectedly, %d false alarms; all of them"
                            + " right for %d of %d.%n",
                    s.verdicts().right(),
                    s.verdicts().judged(),
                    HUNDRED * s.verdicts().right() / s.verdicts().judged(),
                    s.verdicts().missed(),
                    s.verdicts().alarms(),
                    s.rightGroups()[0],
                    s.rightGroups()[1]);
            if (s.set().runs().stream().anyMatch(r -> r.further() != null)) {
                out.printf(
                        Locale.ROOT,
                        "%nThe largest batch of the ladder is the published one on %.1f %% of the rows, and more than a"
                                + " rung off on %.1f %%.%n",
                        HUNDRED * s.rightGroups()[0] / s.rightGroups()[1],
                        HUNDRED * s.farOff() / s.rightGroups()[1]);
            }
        }
    }

    private static void worst(RealScore s, PrintWriter out) {
        out.printf("%nFurthest off:%n%n");
        List<RealResult> worst = new ArrayList<>(s.compared());
        worst.sort(Comparator.comparingDouble(r -> -Math.abs(r.error(s.constant()))));
        worst.stream()
                .limit(WORST)
                .forEach(r -> out.printf(
                        Locale.ROOT,
                        "- %s: measured %d MiB, predicted %d, %+.1f %%%n",
                        r.run().name(),
                        r.run().measured() / Bytes.MIB,
                        r.predicted(s.constant()) / Bytes.MIB,
                        HUNDRED * r.error(s.constant())));
    }
}
