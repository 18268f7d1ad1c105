package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a custom function of autograd keeps for its backward pass is in no export: its estimate is marked. */
class CustomFunctionsTest {
    private static List<Prediction.Unmodelled> unmodelled(String model, Scenario run) {
        return Predictor.predict(
                        new PredictionRequest(Importers.read(Fixtures.models().resolve(model)), run.with(BATCH, 4L)))
                .unmodelled();
    }

    @Test
    void callsOfAnExportAreCounted() {
        assertEquals(
                List.of(new Prediction.Unmodelled("autograd.Function Clamped", 2)),
                unmodelled("small/custom-function.pt2", Scenario.defaults()));
    }

    @Test
    void withoutGradientsNothingIsKept() {
        assertEquals(
                List.of(),
                unmodelled("small/custom-function.pt2", Scenario.defaults().with(INFERENCE, true)));
    }

    @Test
    void ordinaryModelsHaveNone() {
        assertEquals(List.of(), unmodelled("small/gpt2.pt2", Scenario.defaults()));
    }

    /** {@code (x > 0).to(x.dtype)}: it keeps the hidden layer's output, and gradients go on through it. */
    @Test
    void whatItIsGivenIsKeptAndGetsAGradient() {
        Prediction run = Predictor.predict(new PredictionRequest(
                Importers.read(Fixtures.models().resolve("small/sign-function.pt2")),
                Scenario.defaults().with(BATCH, 512L).with(OPTIMIZER, OptimizerKind.SGD)));
        assertEquals(List.of(new Prediction.Unmodelled("autograd.Function Sign", 2)), run.unmodelled());
        long hidden = 512 * 256 * 4;
        long inference = Predictor.predict(new PredictionRequest(
                        Importers.read(Fixtures.models().resolve("small/sign-function.pt2")),
                        Scenario.defaults().with(BATCH, 512L).with(INFERENCE, true)))
                .peak()
                .allocated();
        // Two inputs of it, the input of each layer behind one, and what the backward pass makes of them.
        assertTrue(run.peak().allocated() > inference + 4 * hidden, run.peak() + " " + inference);
    }
}
