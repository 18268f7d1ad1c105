package dev.headroom.advisor.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints in checkpoints on the beginnings of models up to 12 stages: the dynamic program against all plans. */
class NestedPrefixesTest {
    private static final int STAGES = 12;
    private static final int BUDGETS = 20;

    private static NestedCosts prefix(NestedCosts whole, int stages) {
        return new NestedCosts(
                ModelPrefixesTest.prefix(whole.flat(), stages),
                whole.forward(),
                whole.passing(),
                whole.backward(),
                whole.leaves(),
                whole.start(),
                whole.besides(),
                whole.besidesLast());
    }

    @ParameterizedTest
    @CsvSource({"gpt2-medium-s512, false", "resnet50-i224, true"})
    void noPlanIsCheaperOrLeaner(String model, boolean helps) {
        NestedCosts whole = Surveyed.of(model, 4).nested();
        int better = 0;
        for (int n = 1; n <= STAGES; n++) {
            NestedCosts costs = prefix(whole, n);
            NestedBruteForce all = new NestedBruteForce(costs);
            NestedChain program = new NestedChain(costs);
            ChainProgram oneLevel = new ChainProgram(costs.flat());
            long low = program.leanest().peak();
            assertTrue(low <= oneLevel.leanestPeak());
            long high = costs.evaluate(List.of()).peak();
            long[] budgets = IntStream.rangeClosed(-1, BUDGETS)
                    .mapToLong(k -> k < 0 ? low - 1 : low + (high - low) * k / BUDGETS)
                    .toArray();
            Long[] best = all.cheapest(budgets);
            assertNull(best[0], "a leaner plan");
            for (int i = 0; i < budgets.length; i++) {
                NestedSchedule found = program.cheapest(budgets[i]);
                assertEquals(best[i], found == null ? null : (Long) found.again(), "budget " + budgets[i]);
                Schedule flat = oneLevel.cheapest(budgets[i]);
                assertTrue(flat == null || best[i] <= flat.again());
                better += found != null && (flat == null || best[i] < flat.again()) ? 1 : 0;
            }
            assertTrue(program.exact());
        }
        assertEquals(helps, better > 0, "whether there are beginnings where checkpoints in checkpoints help");
    }

    /** What a model of costs says of a plan on one level does not depend on who says it. */
    @ParameterizedTest
    @ValueSource(strings = {"gpt2-medium-s512", "resnet50-i224", "unet-i256"})
    void segmentsWithoutInnerOnesCostWhatTheyCostOnOneLevel(String model) {
        NestedCosts costs = Surveyed.of(model, 4).nested();
        int segments = 0;
        for (int i = 0; i < costs.stages(); i++) {
            for (int j = i; j < costs.stages(); j++) {
                if (costs.flat().allowed()[i][j]) {
                    assertEquals(costs.flat().keptPeak()[i][j], costs.peak(new NestedSegment(i, j, List.of())));
                    segments++;
                }
            }
        }
        assertTrue(segments > costs.stages());
    }
}
