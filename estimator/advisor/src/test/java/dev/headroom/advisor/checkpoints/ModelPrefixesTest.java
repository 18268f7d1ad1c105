package dev.headroom.advisor.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dynamic program against all plans, on the beginnings of models up to 12 stages. */
class ModelPrefixesTest {
    private static final int STAGES = 12;

    /** The first stages, in a run that peaks nowhere but in its forward and backward passes. */
    static StageCosts prefix(StageCosts whole, int stages) {
        return new StageCosts(
                Arrays.copyOf(whole.stored(), stages),
                Arrays.copyOf(whole.storedPeak(), stages),
                whole.kept(),
                whole.keptPeak(),
                whole.again(),
                whole.allowed(),
                0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2-medium-s512", "resnet50-i224"})
    void noPlanIsCheaperOrLeaner(String model) {
        StageCosts whole = Surveyed.of(model, 4).likely();
        assertTrue(whole.stages() > STAGES);
        int plans = 0;
        for (int n = 1; n <= STAGES; n++) {
            StageCosts costs = prefix(whole, n);
            ChainProgram program = new ChainProgram(costs);
            long low = BruteForce.leanest(costs);
            assertEquals(low, program.leanest().peak());
            long high = costs.evaluate(List.of()).peak();
            long[] budgets = IntStream.rangeClosed(-1, 20)
                    .mapToLong(k -> low + (high - low) * k / 20)
                    .toArray();
            Long[] best = BruteForce.cheapest(costs, budgets);
            for (int i = 0; i < budgets.length; i++) {
                Schedule found = program.cheapest(budgets[i]);
                assertEquals(best[i], found == null ? null : (Long) found.again(), "budget " + budgets[i]);
                plans += found == null || found.pieces().isEmpty() ? 0 : 1;
            }
            assertTrue(program.exact());
        }
        assertTrue(plans > STAGES, "beginnings that need checkpoints");
    }
}
