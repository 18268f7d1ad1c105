package dev.headroom.validation.loops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.CudnnWorkspace;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of loops, against the same loops of the real PyTorch, recorded by fixtures/loops/record_loops.py. */
class LoopRecordingsTest {
    private static final Path LOOPS = Fixtures.folder().resolve("loops");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gan",
                "wgan",
                "distillation",
                "averages",
                "matrices",
                "wgan-gp",
                "r1",
                "r1-tokens",
                "r1-mixed",
                "pinn",
                "pinn-siren",
                "keep-zero",
                "refrozen",
                "short-batch",
                "retained",
                "penalty-amp",
                "penalty-norm",
                "gan-amp",
                "amp-clips",
                "amp-parts",
                "amp-fused",
                "amp-values"
            })
    void everyLineIsEqual(String name) throws IOException {
        JsonNode recording = read(LOOPS.resolve(name + ".json.gz"));
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.BATCH, recording.path("batch").asLong())
                .with(ScenarioSettings.STEPS, recording.path("steps").asInt())
                .with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.NONE)
                .with(ScenarioSettings.AMP, recording.has("amp") ? DType.FLOAT16 : null)
                .on(GpuCatalogue.find("h200").orElseThrow());
        List<String> recorded = new ArrayList<>();
        recording.path("phases").forEach(p -> recorded.add(line(p)));
        List<String> predicted =
                Predictor.simulate(new PredictionRequest(Importers.read(LOOPS.resolve(name + ".yaml")), run))
                        .phases()
                        .stream()
                        .map(LoopRecordingsTest::line)
                        .toList();
        assertEquals(recorded, predicted);
    }

    /** Of gradients by sample, {@code vmap(grad(f))}, the peak is close, and marked as a bound. */
    @Test
    void gradientsOfSamplesAreMarked() throws IOException {
        JsonNode recording = read(LOOPS.resolve("samples.json.gz"));
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.BATCH, recording.path("batch").asLong())
                .on(GpuCatalogue.find("h200").orElseThrow());
        Prediction predicted =
                Predictor.predict(new PredictionRequest(Importers.read(LOOPS.resolve("samples.yaml")), run));
        long recorded = 0;
        for (JsonNode p : recording.path("phases")) {
            recorded = Math.max(recorded, p.path("max_allocated").asLong());
        }
        assertEquals(recorded, predicted.peak().allocated(), 0.01 * recorded);
        assertEquals(
                List.of("per_sample_grad"),
                predicted.unmodelled().stream().map(u -> u.operator()).toList());
    }

    private static JsonNode read(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new ObjectMapper().readTree(in);
        }
    }

    private static String line(JsonNode p) {
        return String.join(
                " ",
                p.path("phase").asText(),
                p.has("step") ? p.path("step").asText() : "-",
                p.has("micro") ? p.path("micro").asText() : "-",
                p.path("allocated").asText(),
                p.path("reserved").asText(),
                p.path("max_allocated").asText(),
                p.path("max_reserved").asText());
    }

    private static String line(PhaseMemory p) {
        return String.join(
                " ",
                p.phase().label(),
                p.step() == null ? "-" : p.step().toString(),
                p.micro() == null ? "-" : p.micro().toString(),
                Long.toString(p.allocated()),
                Long.toString(p.reserved()),
                Long.toString(p.maxAllocated()),
                Long.toString(p.maxReserved()));
    }

    /** Mistakes are told with their line. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a = D(z)               | 7: nothing is called 'D'
            a = G(q)               | 7: nothing is called 'q'
            a = G(z, z)            | 7: model 'G' takes 1 input
            a = G(z                | 7: ',' is missing: a = G(z
            a = mse_los(z, z)      | 7: nothing is called 'mse_los'; did you mean 'mse_loss'?
            a = mse_loss(z)        | 7: mse_loss is called as mse_loss(self, target)
            a = z.view             | 7: '.view' is no call; results are named by their number, as in out[0]: a = z.view
            G.step()               | 7: 'G' has no such call: nothing is called 'step'
            'g.step()               '| 7: nothing is called 'g'
            scaler.scale(z)        | 7: of a GradScaler there are scaler.scale(loss).backward()
            scaler.unscale_(G)     | 7: unscale_ takes an optimizer
            G.zero_grad(keep=True) | 7: zero_grad has no argument 'keep' here
            G.train(1)             | 7: train takes True or False alone
            torch.nn.mse_los(z, z) | 7: nothing is called 'mse_los'; did you mean 'mse_loss'?
            del a                  | 7: nothing is called 'a'
            z.backward(create_graph=True) | 7: create_graph=True leaves a history in .grad; write gradient =
            """)
    void mistakesAreToldWithTheirLine(String line, String message) throws IOException {
        Path file = folder.resolve("loop.yaml");
        Files.writeString(
                file,
                "models:\n  G: " + LOOPS.resolve("generator.pt2") + "\ndata:\n  z: G.input\nsteps:\n  # one\n  - "
                        + line.strip() + "\n");
        UserInputException e = assertThrows(UserInputException.class, () -> Importers.read(file));
        assertTrue(String.valueOf(e.getMessage()).startsWith("loop.yaml:" + message.strip()), e.getMessage());
    }
}
