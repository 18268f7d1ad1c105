package dev.headroom.validation.finetune;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.DType;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.validation.TraceComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A config and the archive that was exported from it take and free the same, event by event. */
class ConfigAndArchiveTest {
    private static final Path FOLDER = Fixtures.models().resolve("configs");
    private static final long SEQ = 64;

    /**
     * What an archive cannot tell, as it holds no lines of the library's functions: the variables of those that build a
     * mask that is not left out (gpt-oss), and a conversion to the type that queries had (OLMo 2). There the recordings
     * decide, which configs equal.
     */
    private static final Set<String> ARCHIVES_DIFFER = Set.of("gpt-oss-tiny.json", "olmo2-tiny.json autocast");

    private static Map<String, Scenario> regimes() {
        Scenario plain = Scenario.defaults().with(ScenarioSettings.BATCH, 3L);
        Map<String, Scenario> out = new TreeMap<>();
        out.put("plain", plain);
        out.put("checkpointed", plain.with(ScenarioSettings.CHECKPOINT, 1));
        out.put("autocast", plain.with(ScenarioSettings.AMP, DType.BFLOAT16));
        out.put("math", plain.with(ScenarioSettings.ATTENTION, Scenario.Attention.MATH));
        out.put("efficient", plain.with(ScenarioSettings.ATTENTION, Scenario.Attention.EFFICIENT));
        return out;
    }

    static List<Arguments> cases() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(f -> f.toString().endsWith(".json"))
                    .sorted()
                    .filter(f -> !ARCHIVES_DIFFER.contains(f.getFileName().toString()))
                    .flatMap(f -> regimes().entrySet().stream()
                            .filter(e -> !ARCHIVES_DIFFER.contains(f.getFileName() + " " + e.getKey()))
                            .map(e -> Arguments.of(f.getFileName().toString(), e.getKey(), e.getValue())))
                    .toList();
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("cases")
    void eventsAreEqual(String config, String regime, Scenario run) {
        Simulation archive = played(FOLDER.resolve(config.replace(".json", ".pt2")), run);
        Simulation own = played(FOLDER.resolve(config), run.with(ModelSettings.SEQ, SEQ));
        TraceComparison compared = TraceComparison.of(archive, own);
        assertTrue(compared.equal(), () -> compared.report(8));
    }

    private static Simulation played(Path model, Scenario run) {
        return Predictor.simulate(new PredictionRequest(Importers.read(model, run), run));
    }
}
