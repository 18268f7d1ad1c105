package dev.headroom.advisor.plans;

import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.LIMIT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two small runs tell where larger ones run out of memory. */
class SizeForecastTest {
    private static final long MIB = 1 << 20;

    private static Scenario run(long mib) {
        return Scenario.defaults().with(BATCH, 1200L).with(STEPS, 2).with(LIMIT, mib * MIB);
    }

    private static VariantPlayer player(Scenario run) {
        Graph perceptron = Model.of("perceptron", Sequential.of(linear(784, 4000), relu(), linear(4000, 10)))
                .input("x", DType.FLOAT32, Model.BATCH, 784)
                .graph();
        return new VariantPlayer(new PredictionRequest(perceptron, run));
    }

    private static SizeForecast forecast(VariantPlayer player, Scenario run) {
        return new SizeForecast(player, size -> run.with(BATCH, size), 1, 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {500, 1000, 2000})
    void isNearWhatRunsShow(long mib) {
        Scenario run = run(mib);
        VariantPlayer player = player(run);
        SizeForecast forecast = forecast(player, run);
        assertEquals(OptionalLong.empty(), forecast.largest(1200, 1300), "nothing was played");
        assertFalse(forecast.mayFit(1), "nothing is known");
        assertEquals(OptionalLong.empty(), forecast.closer(1200, 1300), "no line was drawn");
        long found = LargestSizeSearch.batch(player, run).value();
        long near = found - found / 40;
        long far = found - found / 20;
        player.unbounded(run.with(BATCH, near));
        player.unbounded(run.with(BATCH, far));
        long likely = forecast.largest(near, far).orElseThrow();
        assertEquals(found, likely, found / 50.0, "kernels that are chosen by sizes are not foreseen");
        assertTrue(forecast.mayFit(likely));
        assertFalse(forecast.mayFit(2 * found));
        assertTrue(forecast.isRight(near), "a line goes through what it was drawn through");
        assertFalse(forecast.isRight(near + 1), "of a size that was not played nothing is known");
        assertEquals(1, forecast.lastWithRoom(1), "all of thousands are not");

        assertEquals(OptionalLong.empty(), forecast.closer(near, 2 * found), "one run makes no line");
        assertEquals(found, forecast.closer(far, 2 * found).orElseThrow(), found / 50.0);
        assertEquals(far, forecast.closer(far, far + 1).orElseThrow(), "as far as the next, which fails");
    }

    @Test
    void whereEvenTheLeastIsTooMuchThereIsNone() {
        Scenario run = run(20);
        VariantPlayer player = player(run);
        player.unbounded(run);
        player.unbounded(run.with(BATCH, 1300L));
        assertEquals(OptionalLong.empty(), forecast(player, run).largest(1200, 1300));
    }
}
