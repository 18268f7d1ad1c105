package dev.headroom.planning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The best plans of a model of costs, by a dynamic program over the stages: Rotor's problem (Inria RR-9302) for the
 * checkpoints that {@code torch.utils.checkpoint} can write on one level. A stage keeps everything or, as part of a
 * checkpoint, nothing but what later stages read. What comes after a stage depends on the plan before it only by the bytes
 * that were left, so that of two beginnings one can be forgotten that leaves as much and costs as much as the other.
 */
final class ChainProgram {
    private final StageCosts costs;
    private boolean exact = true;

    ChainProgram(StageCosts costs) {
        this.costs = costs;
    }

    /** Whether no search so far had to leave beginnings out. */
    boolean exact() {
        return exact;
    }

    /**
     * The plan with the least recomputation within a budget.
     *
     * @param budget bytes above those before the pass
     * @return {@code null} when no plan is within it
     */
    Schedule cheapest(long budget) {
        return costs.floor() > budget ? null : best(budget, false);
    }

    /** The plan with the lowest peak. */
    Schedule leanest() {
        return best(Long.MAX_VALUE, true);
    }

    /** @param peaks whether the price of a plan is its peak; else it is the FLOPs */
    private Schedule best(long budget, boolean peaks) {
        int n = costs.stages();
        List<Front> at = new ArrayList<>();
        for (int s = 0; s <= n; s++) {
            at.add(new Front(budget, peaks));
        }
        at.get(0).begin(peaks ? costs.floor() : 0);
        for (int s = 0; s < n; s++) {
            Front here = at.get(s);
            exact &= here.thin();
            at.get(s + 1).extend(here, s, false, costs.stored()[s], costs.storedPeak()[s], 0);
            for (int last = s; last < n; last++) {
                if (costs.allowed()[s][last]) {
                    long kept = costs.kept()[s][last];
                    long peak = costs.keptPeak()[s][last];
                    at.get(last + 1).extend(here, s, true, kept, peak, costs.again()[s][last]);
                }
            }
        }
        Front.Beginning whole = at.get(n).cheapest();
        return whole == null ? null : schedule(whole);
    }

    private Schedule schedule(Front.Beginning whole) {
        List<Schedule.Piece> pieces = new ArrayList<>();
        int end = costs.stages();
        for (Front.Beginning b = whole; b.before() != null; b = b.before()) {
            if (b.checkpoint()) {
                pieces.add(new Schedule.Piece(b.stage(), end - 1));
            }
            end = b.stage();
        }
        Collections.reverse(pieces);
        return costs.evaluate(pieces);
    }
}
