package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The best plans of a model of costs, by a dynamic program over the stages: Rotor's problem (Inria RR-9302) for the
 * checkpoints that {@code torch.utils.checkpoint} can write on one level. A stage keeps everything or, as part of a
 * checkpoint, nothing but what later stages read. What comes after a stage depends on the plan before it only by the
 * bytes that were left, so that of two beginnings one can be forgotten that leaves as much and costs as much as the
 * other.
 */
final class ChainProgram {
    private static final long NOTHING = Long.MIN_VALUE / 4;

    private final StageCosts costs;

    /** By stage: the least that any plan for the stages from there on needs, on top of what was left before. */
    private final long[] needs;

    private volatile boolean exact = true;

    ChainProgram(StageCosts costs) {
        this.costs = costs;
        int n = costs.stages();
        needs = new long[n + 1];
        needs[n] = NOTHING;
        for (int s = n - 1; s >= 0; s--) {
            needs[s] = Math.max(costs.storedPeak()[s], costs.stored()[s] + needs[s + 1]);
            for (int last = s; last < n; last++) {
                if (costs.allowed()[s][last]) {
                    long after = costs.kept()[s][last] + needs[last + 1];
                    needs[s] = Math.min(needs[s], Math.max(costs.keptPeak()[s][last], after));
                }
            }
        }
    }

    /** Whether no search so far had to leave beginnings out. */
    boolean exact() {
        return exact;
    }

    /** The lowest peak of all plans, in bytes above those before the pass. */
    long leanestPeak() {
        return Math.max(costs.floor(), needs[0]);
    }

    /** The plan with the lowest peak, and of several the one with the least recomputation. */
    @Nullable
    Schedule leanest() {
        return cheapest(leanestPeak());
    }

    /**
     * The plan with the least recomputation within a budget; several may be looked for at once.
     *
     * @param budget bytes above those before the pass
     * @return {@code null} when no plan is within it
     */
    @Nullable
    Schedule cheapest(long budget) {
        if (leanestPeak() > budget) {
            return null;
        }
        int n = costs.stages();
        List<ParetoPrefixes> at = new ArrayList<>();
        for (int s = 0; s <= n; s++) {
            at.add(new ParetoPrefixes(budget));
        }
        at.get(0).begin();
        for (int s = 0; s < n; s++) {
            ParetoPrefixes here = at.get(s);
            if (!here.thin()) {
                exact = false;
            }
            long leaves = costs.stored()[s];
            long peak = Math.max(costs.storedPeak()[s], leaves + needs[s + 1]);
            at.get(s + 1).extend(here, s, false, leaves, peak, 0);
            for (int last = s; last < n; last++) {
                if (costs.allowed()[s][last]) {
                    long kept = costs.kept()[s][last];
                    long most = Math.max(costs.keptPeak()[s][last], kept + needs[last + 1]);
                    at.get(last + 1).extend(here, s, true, kept, most, costs.again()[s][last]);
                }
            }
        }
        return schedule(at);
    }

    private Schedule schedule(List<ParetoPrefixes> at) {
        List<Schedule.Piece> pieces = new ArrayList<>();
        int end = costs.stages();
        int beginning = at.get(end).cheapest();
        while (end > 0) {
            ParetoPrefixes here = at.get(end);
            int stage = here.stage(beginning);
            if (here.isCheckpoint(beginning)) {
                pieces.add(new Schedule.Piece(stage, end - 1));
            }
            beginning = here.before(beginning);
            end = stage;
        }
        Collections.reverse(pieces);
        return costs.evaluate(pieces);
    }
}
