package dev.headroom.validation.parallel;

import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.parallel.RankGroups;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.decoder.PlainDecoder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The decoder that benchmarks play is the one that was exported. */
class PlainDecoderTest {
    private static final Scenario RUN = Scenario.defaults()
            .with(BATCH, 2L)
            .with(DTYPE, DType.BFLOAT16)
            .with(PARALLEL, ParallelKind.FSDP2)
            .with(WORLD, 8)
            .with(RANK, 0);

    @Test
    void takesWhatItsArchiveTakes() {
        Simulation built = play(new PlainDecoder(32_000, 1024, 8, 16, 8, 2816, 512).graph());
        Simulation exported = play(Importers.read(Fixtures.models().resolve("llama-plain-mini-s512.pt2")));
        assertEquals(exported.phases(), built.phases());
        assertEquals(exported.collectives(), built.collectives());
    }

    /** The vocabulary is no multiple of 512: all ranks but the last two have as many rows of it. */
    @Test
    void manyRanksOfALargeOneAreOfThreeKinds() {
        Graph large = PlainDecoder.of405Billion(4096).graph();
        assertEquals(
                List.of(510, 1, 1),
                RankGroups.of(Preparation.of(large, RUN.with(WORLD, 512))).stream()
                        .map(List::size)
                        .toList());
    }

    private static Simulation play(Graph graph) {
        return Predictor.simulate(new PredictionRequest(graph, RUN));
    }
}
