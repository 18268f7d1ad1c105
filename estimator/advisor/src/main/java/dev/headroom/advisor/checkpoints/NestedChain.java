package dev.headroom.advisor.checkpoints;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The best plans whose checkpoints may hold checkpoints, by a dynamic program over segments: Rotor's problem (Beaumont,
 * Herrmann, Pallez and Shilova, Inria RR-9302) and its persistent schedules, in which what was kept stays until it is
 * used. When a segment is made again, each of its stages keeps everything or is part of an inner segment, which keeps
 * its inputs and is solved alike. What follows a stage depends on what came before only by the bytes that were left, so
 * that for each stage of each segment the ways to go on are held that none beats in bytes and FLOPs: bytes are not
 * rounded to slots.
 */
final class NestedChain {
    private static final long NOTHING = Long.MIN_VALUE / 4;

    private final NestedCosts costs;
    private final StageCosts flat;
    private final int n;

    /** By first and last stage: the least that a segment needs. */
    private final long[][] least;

    private final long leastPeak;

    /** By stage: the least that is left before it, whatever the plan. */
    private final long[] base;

    /** FLOPs of a plan that is known already: no better one recomputes more. */
    private long dearest;

    private boolean exact = true;

    NestedChain(NestedCosts costs) {
        this.costs = costs;
        this.flat = costs.flat();
        this.n = costs.stages();
        this.least = new long[n][n];
        this.leastPeak = Math.max(flat.floor(), least());
        this.base = base();
    }

    /** The lowest peak of all plans, in bytes above those before the pass. */
    long leanestPeak() {
        return leastPeak;
    }

    /** The plan with the lowest peak, and of several the one with the least recomputation. */
    @Nullable
    NestedSchedule leanest() {
        return cheapest(leastPeak);
    }

    /** Whether no search so far had to leave ways out. */
    boolean exact() {
        return exact;
    }

    /**
     * How many steps the search takes, each over a number of ways: pairs of a segment and one that can lie within it.
     */
    static long work(boolean[][] allowed) {
        int n = allowed.length;
        long[][] within = new long[n][n];
        long pairs = 0;
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i; j < n; j++) {
                long inner = (i < j ? within[i + 1][j] + within[i][j - 1] : 0) - (i + 1 < j ? within[i + 1][j - 1] : 0);
                pairs += allowed[i][j] ? inner : 0;
                within[i][j] = inner + (allowed[i][j] ? 1 : 0);
            }
        }
        return pairs;
    }

    private long least() {
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i; j < n; j++) {
                if (flat.allowed()[i][j]) {
                    least[i][j] = least(i, j);
                }
            }
        }
        long[] from = new long[n + 1];
        from[n] = NOTHING;
        for (int p = n - 1; p >= 0; p--) {
            from[p] = Math.max(flat.storedPeak()[p], flat.stored()[p] + from[p + 1]);
            for (int b = p; b < n; b++) {
                if (flat.allowed()[p][b]) {
                    from[p] = Math.min(from[p], Math.max(least[p][b], flat.kept()[p][b] + from[b + 1]));
                }
            }
        }
        return from[0];
    }

    private long least(int i, int j) {
        long[] from = new long[j + 1];
        from[j] = storedNeed(i, j, j);
        for (int p = j - 1; p >= i; p--) {
            from[p] = Math.max(storedNeed(i, j, p), costs.leaves()[i][p] + from[p + 1]);
            for (int b = p; b < j; b++) {
                if (flat.allowed()[p][b]) {
                    long inside = Math.max(passingNeed(i, j, p, b), costs.besides()[i][j] + least[p][b]);
                    from[p] = Math.min(from[p], Math.max(inside, flat.kept()[p][b] + from[b + 1]));
                }
            }
        }
        return from[i];
    }

    /** What a stage of a segment needs that keeps everything, made again and gone back through. */
    private long storedNeed(int i, int j, int p) {
        long besides = (p == j ? costs.besidesLast() : costs.besides())[i][j];
        return Math.max(costs.start()[i][j] + costs.forward()[p], costs.leaves()[i][p] + costs.backward()[p] + besides);
    }

    private long passingNeed(int i, int j, int a, int b) {
        return costs.start()[i][j] + costs.passing()[a][b];
    }

    private long[] base() {
        long[] out = new long[n + 1];
        Arrays.fill(out, Long.MAX_VALUE);
        out[0] = 0;
        for (int p = 0; p < n; p++) {
            long leaves = flat.stored()[p];
            for (int i = 0; i <= p; i++) {
                leaves = Math.min(leaves, costs.leaves()[i][p]);
            }
            out[p + 1] = Math.min(out[p + 1], out[p] + leaves);
            for (int b = p; b < n; b++) {
                if (flat.allowed()[p][b]) {
                    out[b + 1] = Math.min(out[b + 1], out[p] + flat.kept()[p][b]);
                }
            }
        }
        return out;
    }

    /**
     * The plan with the least recomputation within a budget.
     *
     * @param budget bytes above those before the pass
     * @return {@code null} when no plan is within it
     */
    @Nullable
    NestedSchedule cheapest(long budget) {
        if (leastPeak > budget) {
            return null;
        }
        Schedule oneLevel = new ChainProgram(flat).cheapest(budget);
        dearest = oneLevel == null ? Long.MAX_VALUE : oneLevel.again();
        Tradeoffs[][] segments = new Tradeoffs[n][n];
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i; j < n; j++) {
                if (flat.allowed()[i][j] && least[i][j] <= budget - base[i]) {
                    segments[i][j] = inside(i, j, budget, segments);
                }
            }
        }
        Tradeoffs[] from = new Tradeoffs[n + 1];
        from[n] = Tradeoffs.end(NOTHING);
        for (int p = n - 1; p >= 0; p--) {
            from[p] = new Tradeoffs(budget - base[p], dearest);
            from[p].stored(p, flat.stored()[p], flat.storedPeak()[p], from[p + 1]);
            for (int b = p; b < n; b++) {
                if (segments[p][b] != null) {
                    long again = flat.again()[p][b];
                    from[p].checkpoint(p, b, segments[p][b], 0, flat.kept()[p][b], NOTHING, again, from[b + 1]);
                }
            }
            prune(from[p]);
        }
        return costs.evaluate(tree(from[0].cheapest()));
    }

    private Tradeoffs inside(int i, int j, long budget, Tradeoffs[][] segments) {
        Tradeoffs[] from = new Tradeoffs[j + 1];
        from[j] = new Tradeoffs(budget - base[j], dearest);
        from[j].last(j, storedNeed(i, j, j));
        for (int p = j - 1; p >= i; p--) {
            from[p] = new Tradeoffs(budget - base[p], dearest);
            from[p].stored(p, costs.leaves()[i][p], storedNeed(i, j, p), from[p + 1]);
            for (int b = p; b < j; b++) {
                if (segments[p][b] != null) {
                    long again = flat.again()[p][b];
                    long passing = passingNeed(i, j, p, b);
                    long besides = costs.besides()[i][j];
                    from[p].checkpoint(p, b, segments[p][b], besides, flat.kept()[p][b], passing, again, from[b + 1]);
                }
            }
            prune(from[p]);
        }
        return from[i];
    }

    private void prune(Tradeoffs continuations) {
        continuations.prune();
        exact &= continuations.exact();
    }

    private static List<NestedSegment> tree(Tradeoffs.@Nullable Continuation whole) {
        List<NestedSegment> out = new ArrayList<>();
        for (Tradeoffs.Continuation w = whole; w != null; w = w.rest()) {
            if (w.inner() != null) {
                out.add(new NestedSegment(w.first(), w.last(), tree(w.inner())));
            }
        }
        return out;
    }
}
