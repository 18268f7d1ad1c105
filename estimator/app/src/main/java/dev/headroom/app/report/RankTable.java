package dev.headroom.app.report;

import dev.headroom.estimator.parallel.group.Traffic;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.RankMemory;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** The ranks of a run on several GPUs, those that take most first, and what the one that is told communicates. */
final class RankTable {
    private static final int NAME = 16;
    private static final int NUMBER = 11;
    private static final int MOST = 6;

    private RankTable() {}

    /** Nothing for a run on one GPU. */
    static List<String> lines(Prediction p, Style style) {
        List<String> lines = new ArrayList<>();
        if (p.ranks().size() > 1) {
            lines.add(style.strong(Columns.left("Ranks", NAME)
                    + Columns.right("allocated", NUMBER)
                    + Columns.right("reserved", NUMBER)
                    + Columns.right("device", NUMBER)));
            for (RankMemory r : p.ranks().subList(0, Math.min(MOST, p.ranks().size()))) {
                lines.add(Columns.left("  " + r.words(), NAME)
                        + Columns.right(Mib.text(r.peak().allocated()), NUMBER)
                        + Columns.right(Mib.text(r.peak().reserved()), NUMBER)
                        + Columns.right(Mib.text(r.peak().device()), NUMBER));
            }
            int left = p.ranks().size() - MOST;
            if (left > 0) {
                lines.add(style.faint("  " + left + " more groups of ranks take less: --json has them all"));
            }
        }
        String sent = sent(p);
        if (!sent.isEmpty()) {
            lines.addAll(Wrap.lines(
                    (p.ranks().isEmpty() ? "" : "Rank " + p.run().parallel().rank() + ", ") + "a step's collectives: "
                            + sent,
                    79,
                    "  "));
        }
        return lines;
    }

    /** What one rank hands to NCCL in the last step, by kind. */
    private static String sent(Prediction p) {
        StringJoiner out = new StringJoiner(", ");
        Traffic.ofLastStep(p.phases(), p.collectives()).forEach((kind, n) -> out.add(kind.label() + " " + Mib.text(n)));
        return out.toString();
    }
}
