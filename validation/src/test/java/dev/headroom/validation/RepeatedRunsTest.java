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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps that are played from the events of the one before differ in nothing from steps of operators. */
class RepeatedRunsTest {
    private static final List<String> SETTINGS = List.of(
            "expandable_segments:True",
            "max_split_size_mb:21",
            "roundup_power2_divisions:4",
            "large_segment_size_mb:64");

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

    /** The events of a run, on an allocator of other settings. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.headroom.validation.RecordingsTest#recordings")
    void onAnotherAllocator(Path file) {
        RecordedRun recorded = new RecordedRun(Recording.read(file));
        PredictionRequest request =
                recorded.request(recorded.archive(Fixtures.models()).orElseThrow());
        Predictor.simulate(request);
        String conf = SETTINGS.get(Math.floorMod(file.getFileName().toString().hashCode(), SETTINGS.size()));
        Scenario other = request.scenario().withAllocConf(conf);
        assertEquals("", RepeatedRun.difference(request.with(other)), conf);
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
