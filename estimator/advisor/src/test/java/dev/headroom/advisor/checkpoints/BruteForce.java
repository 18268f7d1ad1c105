package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** All plans over stages, one after the other. */
final class BruteForce {
    private BruteForce() {}

    /** Tells of every plan's cost. */
    static void forEach(StageCosts costs, Consumer<Schedule> seen) {
        extend(costs, 0, new ArrayList<>(), seen);
    }

    private static void extend(StageCosts costs, int stage, List<Schedule.Piece> pieces, Consumer<Schedule> seen) {
        if (stage == costs.stages()) {
            seen.accept(costs.evaluate(pieces));
            return;
        }
        extend(costs, stage + 1, pieces, seen);
        for (int last = stage; last < costs.stages(); last++) {
            if (costs.allowed()[stage][last]) {
                pieces.add(new Schedule.Piece(stage, last));
                extend(costs, last + 1, pieces, seen);
                pieces.remove(pieces.size() - 1);
            }
        }
    }

    /** The least recomputation within each budget, {@code null} where no plan is within it. */
    static Long[] cheapest(StageCosts costs, long[] budgets) {
        Long[] best = new Long[budgets.length];
        forEach(costs, s -> {
            for (int i = 0; i < budgets.length; i++) {
                if (s.peak() <= budgets[i] && (best[i] == null || s.again() < best[i])) {
                    best[i] = s.again();
                }
            }
        });
        return best;
    }

    /** The lowest peak of all plans. */
    static long leanest(StageCosts costs) {
        long[] least = {Long.MAX_VALUE};
        forEach(costs, s -> least[0] = Math.min(least[0], s.peak()));
        return least[0];
    }
}
