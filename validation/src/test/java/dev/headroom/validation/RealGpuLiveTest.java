package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.cudnn.AnswerLine;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Modules that Python asked about, and what training them took on an H100 whose cuDNN had been asked with a handle. */
class RealGpuLiveTest {
    private static final Path FOLDER = Fixtures.recordings().resolve("h100/live");

    static Stream<Path> recordings() {
        return Fixtures.recordings(FOLDER).stream();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void everyPhaseIsWhatTheGpuTook(Path file) {
        Recording recording = Recording.read(file);
        RecordedRun run = new RecordedRun(recording);
        PredictionRequest request = run.request(run.archive(FOLDER).orElseThrow());
        Scenario asked = request.scenario();
        Comparison compared = Comparison.of(
                recording,
                Predictor.predict(request.with(asked.with(
                        CUDNN_WORKSPACE, asked.kernels().cudnnWorkspace().withSource(Scenario.Workspaces.LIVE)))));
        assertEquals("", compared.structure());
        assertEquals("", compared.differences());
    }

    /** The last field of a line is what the same cuDNN says when it is told of the GPU alone. */
    @Test
    void aHandleMakesADifference() {
        List<String> lines = Fixtures.lines(FOLDER.resolve("answers.txt.gz"));
        long alike = lines.stream()
                .filter(line -> line.endsWith(" " + AnswerLine.parse(line).workspace()))
                .count();
        assertEquals(4777, lines.size());
        assertTrue(alike > 4000 && alike < 4300, () -> String.valueOf(alike));
    }
}
