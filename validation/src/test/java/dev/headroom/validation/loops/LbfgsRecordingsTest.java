package dev.headroom.validation.loops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of LBFGS, whose closure evaluates the model, against those recorded by fixtures/loops/record_lbfgs.py. */
class LbfgsRecordingsTest {
    private static final Path LOOPS = Fixtures.folder().resolve("loops");

    @ParameterizedTest
    @ValueSource(strings = {"lbfgs", "lbfgs-short"})
    void everyStepIsEqual(String name) throws IOException {
        JsonNode recording;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(LOOPS.resolve(name + ".json.gz")))) {
            recording = new ObjectMapper().readTree(in);
        }
        JsonNode options = recording.path("options");
        Scenario run = scenario()
                .with(ScenarioSettings.BATCH, options.path("batch").asLong())
                .with(ScenarioSettings.STEPS, options.path("steps").asInt())
                .with(OptimizerSettings.MAX_ITER, options.path("max_iter").asInt(20))
                .with(
                        OptimizerSettings.HISTORY_SIZE,
                        options.path("history_size").asInt(100));
        List<String> recorded = new ArrayList<>();
        recording
                .path("phases")
                .forEach(p -> recorded.add(p.path("phase").asText() + " "
                        + p.path("allocated").asLong() + " "
                        + p.path("reserved").asLong() + " "
                        + p.path("max_allocated").asLong() + " "
                        + p.path("max_reserved").asLong()));
        assertEquals(recorded, predicted(run));
    }

    private static Scenario scenario() {
        return Scenario.defaults()
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.LBFGS)
                .with(ScenarioSettings.LOSS, LossKind.CROSS_ENTROPY)
                .on(GpuCatalogue.find("h200").orElseThrow());
    }

    private static List<String> predicted(Scenario run) {
        PredictionRequest request = new PredictionRequest(Importers.read(LOOPS.resolve("classifier.pt2")), run);
        return Predictor.simulate(request).phases().stream()
                .map(LbfgsRecordingsTest::line)
                .toList();
    }

    private static String line(PhaseMemory p) {
        return p.phase().label() + " " + p.allocated() + " " + p.reserved() + " " + p.maxAllocated() + " "
                + p.maxReserved();
    }

    @Test
    void aLoopThatGivesNoClosureIsRefused() {
        Scenario run = scenario().with(ScenarioSettings.BATCH, 4L).with(ScenarioSettings.ACCUMULATE, 2);
        UserInputException e = assertThrows(UserInputException.class, () -> predicted(run));
        assertTrue(String.valueOf(e.getMessage()).contains("`accumulate`"), e.getMessage());
    }
}
