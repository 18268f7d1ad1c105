package dev.headroom.planning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The best plans of a model of costs, by a dynamic program over the stages: Rotor's problem (Inria RR-9302) for the
 * checkpoints that {@code torch.utils.checkpoint} can write on one level. A stage keeps everything or, as part of a
 * checkpoint, nothing but what later stages read. What comes after a stage depends on the plan before it only by the bytes
 * that were left, so that of two beginnings one can be forgotten that leaves as much and costs as much as the other.
 */
final class ChainProgram {
    /** Beginnings that are kept for each stage; with more the program is no longer exact. */
    private static final int MOST = 20_000;

    private final StageCosts costs;
    private boolean exact = true;

    ChainProgram(StageCosts costs) {
        this.costs = costs;
    }

    /** A beginning of a plan: all stages before a certain one are decided. */
    private record Beginning(long left, long price, Beginning before, int first, boolean checkpoint) {}

    /** Whether nothing was left out for want of time. */
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

    /** The plan with the lowest peak; of several the one whose beginnings leave least. */
    Schedule leanest() {
        return best(Long.MAX_VALUE, true);
    }

    /** @param peaks whether the price is the peak so far; else it is the FLOPs */
    private Schedule best(long budget, boolean peaks) {
        int n = costs.stages();
        List<List<Beginning>> at = new ArrayList<>();
        for (int s = 0; s <= n; s++) {
            at.add(new ArrayList<>());
        }
        at.get(0).add(new Beginning(0, peaks ? costs.floor() : 0, null, 0, false));
        for (int s = 0; s < n; s++) {
            List<Beginning> beginnings = front(at.get(s));
            at.set(s, beginnings);
            for (Beginning b : beginnings) {
                extend(at.get(s + 1), b, s, false, costs.stored()[s], costs.storedPeak()[s], 0, budget, peaks);
            }
            for (int last = s; last < n; last++) {
                if (costs.allowed()[s][last]) {
                    long kept = costs.kept()[s][last];
                    long peak = costs.keptPeak()[s][last];
                    long again = costs.again()[s][last];
                    for (Beginning b : beginnings) {
                        extend(at.get(last + 1), b, s, true, kept, peak, again, budget, peaks);
                    }
                }
            }
        }
        return front(at.get(n)).stream()
                .min(Comparator.comparingLong(Beginning::price))
                .map(this::schedule)
                .orElse(null);
    }

    private static void extend(
            List<Beginning> into,
            Beginning b,
            int stage,
            boolean checkpoint,
            long leaves,
            long needs,
            long again,
            long budget,
            boolean peaks) {
        long peak = b.left + needs;
        if (peak <= budget) {
            long price = peaks ? Math.max(b.price, peak) : b.price + again;
            into.add(new Beginning(b.left + leaves, price, b, stage, checkpoint));
        }
    }

    /** Those that no other one beats. */
    private List<Beginning> front(List<Beginning> all) {
        all.sort(Comparator.comparingLong(Beginning::left).thenComparingLong(Beginning::price));
        List<Beginning> front = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (Beginning b : all) {
            if (b.price < least) {
                least = b.price;
                front.add(b);
            }
        }
        if (front.size() <= MOST) {
            return front;
        }
        exact = false;
        List<Beginning> some = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            some.add(front.get((int) ((long) i * (front.size() - 1) / (MOST - 1))));
        }
        return some;
    }

    private Schedule schedule(Beginning last) {
        List<Schedule.Piece> pieces = new ArrayList<>();
        int end = costs.stages();
        for (Beginning b = last; b.before != null; b = b.before) {
            if (b.checkpoint) {
                pieces.add(new Schedule.Piece(b.first, end - 1));
            }
            end = b.first;
        }
        Collections.reverse(pieces);
        return evaluate(pieces);
    }

    /** What a plan costs. */
    Schedule evaluate(List<Schedule.Piece> pieces) {
        long left = 0;
        long peak = costs.floor();
        long again = 0;
        int stage = 0;
        for (Schedule.Piece p : pieces) {
            for (; stage < p.first(); stage++) {
                peak = Math.max(peak, left + costs.storedPeak()[stage]);
                left += costs.stored()[stage];
            }
            peak = Math.max(peak, left + costs.keptPeak()[p.first()][p.last()]);
            left += costs.kept()[p.first()][p.last()];
            again += costs.again()[p.first()][p.last()];
            stage = p.last() + 1;
        }
        for (; stage < costs.stages(); stage++) {
            peak = Math.max(peak, left + costs.storedPeak()[stage]);
            left += costs.stored()[stage];
        }
        return new Schedule(List.copyOf(pieces), peak, again);
    }
}
