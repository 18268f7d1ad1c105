package dev.headroom.validation.loops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TrainerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that come from a loader, against the real PyTorch: fixtures/loops/README.md. */
class DataRecordingsTest {
    @ParameterizedTest
    @ValueSource(strings = {"loader", "unpacked", "prefetch", "accumulated", "evaluated"})
    void everyPhaseIsEqual(String name) throws IOException {
        JsonNode recording;
        try (InputStream in = new GZIPInputStream(
                Files.newInputStream(Fixtures.folder().resolve("loops").resolve("data-" + name + ".json.gz")))) {
            recording = new ObjectMapper().readTree(in);
        }
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.BATCH, 16L)
                .with(ScenarioSettings.ACCUMULATE, recording.path("accumulate").asInt(1))
                .with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.NONE)
                .with(
                        TrainerSettings.EVAL_BATCH,
                        recording.has("eval_batch")
                                ? recording.path("eval_batch").asLong()
                                : null)
                .with(
                        FeedSettings.DATA,
                        DataKind.valueOf(recording.path("data").asText().toUpperCase(Locale.ROOT)))
                .on(GpuCatalogue.find("h200").orElseThrow());
        List<String> recorded = new ArrayList<>();
        recording
                .path("phases")
                .forEach(p -> recorded.add(p.path("phase").asText() + " " + p.path("allocated") + " "
                        + p.path("reserved") + " " + p.path("max_allocated") + " " + p.path("max_reserved")));
        List<String> predicted = Predictor.simulate(new PredictionRequest(
                        Importers.read(Fixtures.folder().resolve("models").resolve("resnet18-i224.pt2")), run))
                .phases()
                .stream()
                .map(p -> p.phase() + " " + p.allocated() + " " + p.reserved() + " " + p.maxAllocated() + " "
                        + p.maxReserved())
                .toList();
        assertEquals(recorded, predicted);
    }
}
