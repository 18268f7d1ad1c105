package dev.headroom.validation.parallel;

import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ParallelSettings.ZERO_OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.RankGroups;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.RankMemory;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Laws of ranks: who is alike, and who takes most. */
class RanksTest {
    private static final Graph MODEL = Importers.read(Fixtures.models().resolve("small/resnet18.pt2"));

    private static Scenario run(ParallelKind kind, int world) {
        return Scenario.defaults()
                .with(BATCH, 2L)
                .with(STEPS, 2)
                .with(PARALLEL, kind)
                .with(WORLD, world);
    }

    @ParameterizedTest
    @EnumSource(names = {"DDP", "FSDP2", "ZERO3"})
    void ranksOfAGroupTakeTheSame(ParallelKind kind) {
        Scenario run = run(kind, 6);
        List<List<Integer>> groups = RankGroups.of(Preparation.of(MODEL, run));
        assertEquals(
                IntStream.range(0, 6).boxed().toList(),
                groups.stream().flatMap(List::stream).sorted().toList());
        for (List<Integer> group : groups) {
            assertEquals(
                    1,
                    group.stream()
                            .map(rank -> Predictor.simulate(new PredictionRequest(MODEL, run.with(RANK, rank)))
                                    .phases())
                            .distinct()
                            .count(),
                    group::toString);
        }
    }

    @Test
    void withoutARankTheFullestIsTold() {
        Scenario run = run(ParallelKind.DDP, 3).with(ZERO_OPTIMIZER, true);
        Prediction told = Predictor.predict(new PredictionRequest(MODEL, run));
        assertEquals(3, told.ranks().stream().mapToInt(r -> r.ranks().size()).sum());
        assertTrue(told.ranks().get(0).ranks().contains(told.run().parallel().rank()));
        for (RankMemory other : told.ranks()) {
            assertTrue(other.peak().reserved() <= told.peak().reserved());
        }
    }

    /** More ranks never raise what a rank keeps of parameters and of the optimizer's state. */
    @ParameterizedTest
    @CsvSource({"FSDP2", "ZERO1", "ZERO2"})
    void moreRanksNeverKeepMore(ParallelKind kind) {
        long before = Long.MAX_VALUE;
        for (int world : new int[] {1, 2, 4, 8}) {
            long kept = kept(Predictor.simulate(
                    new PredictionRequest(MODEL, run(kind, world).with(RANK, 0))));
            assertTrue(kept <= before, kind + " on " + world + ": " + kept + " bytes, " + before + " before");
            before = kept;
        }
    }

    private static long kept(Simulation run) {
        Category[] alive = run.log().aliveAfter(run.events());
        return IntStream.range(0, alive.length)
                .filter(i -> alive[i] == Category.OPTIMIZER_STATE)
                .mapToLong(i -> run.log().requested(i))
                .sum();
    }
}
