package dev.headroom.validation.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OnnxTest {
    private static final Path FOLDER = Fixtures.folder().resolve("onnx");

    @Test
    void trainingIsRefused() {
        Path file = FOLDER.resolve("mlp.onnx");
        UserInputException e = assertThrows(UserInputException.class, () -> Importers.read(file, Scenario.defaults()));
        assertTrue(e.getMessage().contains("`inference`"), e.getMessage());
    }

    /** As PyTorch 2.14.1 counted for the module that the file was exported from; fixtures/onnx/README.md says how. */
    @Test
    void theModulesOwnRunTakesAsMuch() {
        Scenario run = Scenario.builder()
                .batch(4)
                .inference(true)
                .loss(LossKind.OUTPUT)
                .build();
        Prediction prediction =
                Predictor.predict(new PredictionRequest(Importers.read(FOLDER.resolve("mlp.onnx"), run), run));
        assertEquals(33_904_640, prediction.peak().allocated());
        assertEquals(List.of(), prediction.unmodelled());
    }

    static Stream<Arguments> operators() throws IOException {
        Map<String, Long> peaks = new ObjectMapper()
                .readValue(FOLDER.resolve("operators.json").toFile(), new TypeReference<TreeMap<String, Long>>() {});
        return peaks.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @ParameterizedTest
    @MethodSource("operators")
    void anOperatorTakesWhatItsModuleTook(String name, long peak) {
        Scenario run = Scenario.builder()
                .inference(true)
                .loss(LossKind.OUTPUT)
                .build()
                .with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        Path file = FOLDER.resolve("operators").resolve(name + ".onnx");
        Prediction prediction = Predictor.predict(new PredictionRequest(Importers.read(file, run), run));
        assertEquals(List.of(), prediction.unmodelled());
        assertEquals(peak, prediction.peak().allocated());
    }

    /** Its lines reshape heads by sizes that the graph computes. */
    @Test
    void everyOperatorHasACounterpartAndSizesStayOpen() {
        Graph graph = Importers.read(FOLDER.resolve("attention.onnx"));
        assertTrue(graph.nodes().stream().allMatch(n -> n.target().startsWith("aten.")));
        assertTrue(graph.symbols().containsKey("batch") && graph.symbols().containsKey("seq"));
        assertEquals(
                9,
                graph.nodes().stream()
                        .filter(n -> n.operator().equals("aten.linear"))
                        .count());
    }

    @Test
    void whatIsNoModelIsRefusedInALine(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("broken.onnx"), new byte[] {58, 127, 1, 2, 3});
        UserInputException e = assertThrows(UserInputException.class, () -> Importers.read(file));
        assertTrue(e.getMessage().contains("no ONNX model") && !e.getMessage().contains("\n"), e.getMessage());
    }
}
