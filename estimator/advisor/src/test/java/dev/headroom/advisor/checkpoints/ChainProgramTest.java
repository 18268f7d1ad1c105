package dev.headroom.advisor.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The dynamic program against all plans, on random chains. */
class ChainProgramTest {
    private static final int BUDGETS = 12;

    /** A chain whose stages leave and need what they like; some are no checkpoints, some leave less than nothing. */
    static StageCosts random(int stages, long seed) {
        Random random = new Random(seed);
        long[] stored = new long[stages];
        long[] storedPeak = new long[stages];
        long[][] kept = new long[stages][stages];
        long[][] keptPeak = new long[stages][stages];
        long[][] again = new long[stages][stages];
        boolean[][] allowed = new boolean[stages][stages];
        for (int i = 0; i < stages; i++) {
            stored[i] = 512L * (random.nextInt(40) - 3);
            storedPeak[i] = Math.max(0, stored[i]) + 512L * random.nextInt(20);
            for (int j = i; j < stages; j++) {
                kept[i][j] = 512L * random.nextInt(8);
                keptPeak[i][j] = kept[i][j] + 512L * random.nextInt(60);
                again[i][j] = random.nextInt(1000);
                allowed[i][j] = random.nextInt(4) > 0;
            }
        }
        return new StageCosts(stored, storedPeak, kept, keptPeak, again, allowed, 512L * random.nextInt(80));
    }

    private static long[] budgets(StageCosts costs) {
        long low = BruteForce.leanest(costs);
        long high = costs.evaluate(java.util.List.of()).peak();
        long[] out = new long[BUDGETS];
        for (int i = 0; i < BUDGETS; i++) {
            out[i] = low - 512 + (high - low + 1024) * i / (BUDGETS - 1);
        }
        return out;
    }

    @Property(tries = 150)
    void noPlanIsCheaperOrLeaner(@ForAll @IntRange(min = 1, max = 8) int stages, @ForAll long seed) {
        StageCosts costs = random(stages, seed);
        ChainProgram program = new ChainProgram(costs);
        assertEquals(BruteForce.leanest(costs), program.leanest().peak());
        long[] budgets = budgets(costs);
        Long[] best = BruteForce.cheapest(costs, budgets);
        for (int i = 0; i < budgets.length; i++) {
            Schedule found = program.cheapest(budgets[i]);
            assertEquals(best[i], found == null ? null : (Long) found.again());
            assertTrue(found == null || found.peak() <= budgets[i]);
        }
        assertTrue(program.exact());
    }

    @Property(tries = 50)
    void moreRoomNeverCostsMore(@ForAll @IntRange(min = 5, max = 40) int stages, @ForAll long seed) {
        ChainProgram program = new ChainProgram(random(stages, seed));
        long low = program.leanest().peak();
        long before = Long.MAX_VALUE;
        for (int i = 0; i < BUDGETS; i++) {
            long again = program.cheapest(low + 4096L * i).again();
            assertTrue(again <= before);
            before = again;
        }
    }
}
