package dev.headroom.validation.loops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/**
 * Every optimizer of torch.optim with its arguments and forms, and groups of parameters, against the real PyTorch:
 * fixtures/loops/README.md.
 */
class OptimizerRecordingsTest {
    @CommandLine.Command
    private static final class Line {
        @Mixin
        ScenarioOptions scenario = new ScenarioOptions();
    }

    private static final Graph MODEL =
            Importers.read(Fixtures.folder().resolve("loops").resolve("perceptron.pt2"));

    static Stream<Arguments> cases() throws IOException {
        return Stream.concat(cases("optimizers.json.gz"), cases("groups.json.gz"));
    }

    private static Stream<Arguments> cases(String file) throws IOException {
        try (InputStream in = new GZIPInputStream(
                Files.newInputStream(Fixtures.folder().resolve("loops").resolve(file)))) {
            JsonNode all = new ObjectMapper().readTree(in);
            return StreamSupport.stream(all.spliterator(), false).map(c -> Arguments.of(words(c), c.path("phases")));
        }
    }

    private static String words(JsonNode c) {
        List<String> words = new ArrayList<>();
        c.path("options").forEach(word -> words.add(word.asText()));
        return String.join(" ", words);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void everyPhaseIsEqual(String options, JsonNode phases) {
        Line line = new Line();
        new CommandLine(line).parseArgs((options + " --batch 16").split(" "));
        Scenario run = line.scenario.toRecorded().on(GpuCatalogue.find("h200").orElseThrow());
        List<String> recorded = new ArrayList<>();
        phases.forEach(p ->
                recorded.add(p.get(0).asText() + " " + p.get(1) + " " + p.get(2) + " " + p.get(3) + " " + p.get(4)));
        List<String> predicted = Predictor.simulate(new PredictionRequest(MODEL, run)).phases().stream()
                .map(p -> p.phase() + " " + p.allocated() + " " + p.reserved() + " " + p.maxAllocated() + " "
                        + p.maxReserved())
                .toList();
        assertEquals(String.join("\n", recorded), String.join("\n", predicted));
    }
}
