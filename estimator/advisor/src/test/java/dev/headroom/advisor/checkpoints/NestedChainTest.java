package dev.headroom.advisor.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Checkpoints in checkpoints: the dynamic program against all plans, on random chains. */
class NestedChainTest {
    private static final int BUDGETS = 12;

    /** A chain whose stages leave and need what they like; some runs are no checkpoints. */
    static NestedCosts random(int stages, long seed) {
        StageCosts shape = ChainProgramTest.random(stages, seed);
        Random random = new Random(~seed);
        long[] forward = new long[stages];
        long[] backward = new long[stages];
        long[][] passing = new long[stages][stages];
        long[][] leaves = new long[stages][stages];
        long[][] start = new long[stages][stages];
        long[][] besides = new long[stages][stages];
        long[][] besidesLast = new long[stages][stages];
        for (int i = 0; i < stages; i++) {
            forward[i] = Math.max(0, shape.stored()[i]) + 512L * random.nextInt(20);
            backward[i] = 512L * (random.nextInt(30) - 5);
            for (int j = i; j < stages; j++) {
                passing[i][j] = 512L * random.nextInt(40);
                leaves[i][j] = shape.stored()[j] + 512L * random.nextInt(4);
                start[i][j] = 512L * random.nextInt(10);
                besides[i][j] = 512L * random.nextInt(3);
                besidesLast[i][j] = 512L * random.nextInt(3);
            }
        }
        NestedCosts costs = new NestedCosts(shape, forward, passing, backward, leaves, start, besides, besidesLast);
        for (int i = 0; i < stages; i++) {
            for (int j = i; j < stages; j++) {
                shape.keptPeak()[i][j] = costs.peak(new NestedSegment(i, j, List.of()));
            }
        }
        return costs;
    }

    @Property(tries = 400)
    void noPlanIsCheaperOrLeaner(@ForAll @IntRange(min = 1, max = 8) int stages, @ForAll long seed) {
        NestedCosts costs = random(stages, seed);
        NestedBruteForce all = new NestedBruteForce(costs);
        NestedChain program = new NestedChain(costs);
        long low = all.leanest();
        assertEquals(low, program.leanest().peak());
        assertEquals(low, program.leanestPeak());
        long high = costs.evaluate(List.of()).peak();
        long[] budgets = new long[BUDGETS];
        for (int i = 0; i < BUDGETS; i++) {
            budgets[i] = low - 512 + (high - low + 1024) * i / (BUDGETS - 1);
        }
        Long[] best = all.cheapest(budgets);
        for (int i = 0; i < BUDGETS; i++) {
            NestedSchedule found = program.cheapest(budgets[i]);
            assertEquals(best[i], found == null ? null : (Long) found.again());
            assertTrue(found == null || found.peak() <= budgets[i]);
        }
        assertTrue(program.exact());
    }

    @Property(tries = 60)
    void oneLevelIsNeverBetter(@ForAll @IntRange(min = 1, max = 25) int stages, @ForAll long seed) {
        NestedCosts costs = random(stages, seed);
        ChainProgram flat = new ChainProgram(costs.flat());
        NestedChain nested = new NestedChain(costs);
        assertTrue(nested.leanestPeak() <= flat.leanestPeak());
        long low = flat.leanestPeak();
        long before = Long.MAX_VALUE;
        for (int i = 0; i < BUDGETS; i++) {
            long again = nested.cheapest(low + 4096L * i).again();
            assertTrue(again <= flat.cheapest(low + 4096L * i).again());
            assertTrue(again <= before, "more room never costs more");
            before = again;
        }
    }

    @Property(tries = 60)
    void plansWithoutInnerSegmentsCostWhatTheyCostOnOneLevel(
            @ForAll @IntRange(min = 1, max = 20) int stages, @ForAll long seed) {
        NestedCosts costs = random(stages, seed);
        Schedule flat = new ChainProgram(costs.flat()).leanest();
        NestedSchedule same = costs.evaluate(flat.pieces().stream()
                .map(p -> new NestedSegment(p.first(), p.last(), List.of()))
                .toList());
        assertEquals(flat.peak(), same.peak());
        assertEquals(flat.again(), same.again());
    }
}
