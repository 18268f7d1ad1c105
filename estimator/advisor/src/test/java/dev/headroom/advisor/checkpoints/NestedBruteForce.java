package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** All plans over stages whose checkpoints may hold checkpoints, one after the other. */
final class NestedBruteForce {
    private final NestedCosts costs;

    NestedBruteForce(NestedCosts costs) {
        this.costs = costs;
    }

    /** Tells of every plan's cost. */
    void forEach(Consumer<NestedSchedule> seen) {
        sequences(0, costs.stages(), plan -> seen.accept(costs.evaluate(plan)));
    }

    /** All ways to put segments into the stages from {@code at} up to but without {@code end}. */
    private void sequences(int at, int end, Consumer<List<NestedSegment>> seen) {
        sequences(at, end, new ArrayList<>(), seen);
    }

    private void sequences(int at, int end, List<NestedSegment> before, Consumer<List<NestedSegment>> seen) {
        if (at == end) {
            seen.accept(before);
            return;
        }
        sequences(at + 1, end, before, seen);
        for (int last = at; last < end; last++) {
            if (costs.flat().allowed()[at][last]) {
                int first = at;
                int after = last + 1;
                sequences(at, last, inner -> {
                    before.add(new NestedSegment(first, after - 1, inner));
                    sequences(after, end, before, seen);
                    before.remove(before.size() - 1);
                });
            }
        }
    }

    /** The least recomputation within each budget, {@code null} where no plan is within it. */
    Long[] cheapest(long[] budgets) {
        Long[] best = new Long[budgets.length];
        forEach(s -> {
            for (int i = 0; i < budgets.length; i++) {
                if (s.peak() <= budgets[i] && (best[i] == null || s.again() < best[i])) {
                    best[i] = s.again();
                }
            }
        });
        return best;
    }

    /** The lowest peak of all plans. */
    long leanest() {
        long[] least = {Long.MAX_VALUE};
        forEach(s -> least[0] = Math.min(least[0], s.peak()));
        return least[0];
    }
}
