package dev.headroom.app.report;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.RankMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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

    /** What one rank hands to NCCL in the last step, by kind; parts of a buffer count as the whole of it. */
    private static String sent(Prediction p) {
        Map<CollectiveKind, Long> bytes = new EnumMap<>(CollectiveKind.class);
        Integer last = p.phases().isEmpty()
                ? null
                : p.phases().get(p.phases().size() - 1).moment().step();
        for (int i = 0; i < Math.min(p.phases().size(), p.collectives().size()); i++) {
            PhaseMemory phase = p.phases().get(i);
            if (last != null && last.equals(phase.moment().step())) {
                for (CollectiveRow row : p.collectives().get(i)) {
                    bytes.merge(row.kind(), row.allBytes(), Long::sum);
                }
            }
        }
        StringJoiner out = new StringJoiner(", ");
        bytes.forEach((kind, n) -> out.add(kind.label() + " " + Mib.text(n)));
        return out.toString();
    }
}
