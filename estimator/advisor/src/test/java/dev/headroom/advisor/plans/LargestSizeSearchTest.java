package dev.headroom.advisor.plans;

import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.variants.Processors;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The largest size, beside what playing every size says. */
class LargestSizeSearchTest {
    private static final long MIB = 1 << 20;
    private static final long ALL = 1000;

    private final Graph transformer = Importers.read(Path.of("../../fixtures/models/small/gpt2.pt2"));
    private final Graph perceptron = Model.of(
                    "perceptron", Sequential.of(linear(64, 20_000), relu(), linear(20_000, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 64)
            .graph();
    private final AtomicLong played = new AtomicLong();

    private VariantPlayer player(Graph model, Scenario run) {
        return new VariantPlayer(new PredictionRequest(model, run), of -> model, Processors.HERE, played::set);
    }

    private long largest(Graph model, Scenario run) {
        return Objects.requireNonNull(
                LargestSizeSearch.batch(player(model, run), run).value());
    }

    private long largestOfAll(Graph model, Scenario run) {
        VariantPlayer every = player(model, run);
        long largest = LongStream.rangeClosed(1, ALL)
                .filter(size -> every.within(run.with(BATCH, size)).fits())
                .max()
                .orElseThrow();
        assertTrue(largest < ALL, "the limit does not bind");
        return largest;
    }

    @ParameterizedTest
    @ValueSource(longs = {80, 85, 100, 105, 110})
    void isTheLargestOfAll(long mib) {
        Scenario run = Scenario.defaults().with(BATCH, 4L).with(LIMIT, mib * MIB);
        assertEquals(largestOfAll(transformer, run), largest(transformer, run));
    }

    /** What runs of two sizes asked says the rest, where nothing is chosen by the size. */
    @ParameterizedTest
    @ValueSource(longs = {133, 160, 201})
    void fewArePlayedWhereRequestsTell(long mib) {
        Scenario run = Scenario.defaults().with(BATCH, 200L).with(LIMIT, mib * MIB);
        long found = largest(perceptron, run);
        assertTrue(played.get() < 10, "runs: " + played);
        assertEquals(largestOfAll(perceptron, run), found);
    }
}
