package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps that are played from the events of the one before differ in nothing from steps of operators. */
class RepeatedRunsTest {
    /** Recordings hold two steps mostly: with two more, some are played again. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.headroom.validation.RecordingsTest#recordings")
    void asRecorded(Path file) {
        RecordedRun recorded = new RecordedRun(Recording.read(file));
        PredictionRequest request =
                recorded.request(recorded.archive(Fixtures.models()).orElseThrow());
        Scenario run = request.scenario();
        assertEquals(
                "",
                RepeatedRun.difference(request.with(run.with(STEPS, run.loop().steps() + 2))));
    }

    /** Wherever memory runs out, in steps that are played again as well. */
    @Test
    void whereMemoryRunsOut() {
        PredictionRequest request = new PredictionRequest(
                Importers.read(Fixtures.models().resolve("cnn-small.pt2")),
                Scenario.defaults().with(BATCH, 64L).with(STEPS, 5));
        Simulation free = Predictor.simulate(request);
        long from = free.maxAllocated() * 9 / 10;
        for (int part = 0; part <= 20; part++) {
            long limit = from + (free.maxReserved() - from) * part / 20;
            Scenario limited = request.scenario().withDevice(new DeviceBudget(null, null, 0, limit));
            assertEquals("", RepeatedRun.difference(request.with(limited)), "within " + limit + " bytes");
        }
    }
}
