package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.RecordedRun;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs with the workspaces that the real cuDNN asked for, on two GPUs: exact in every phase when cuDNN is asked. */
class AskedWorkspacesTest {
    private static final List<String> GPUS = List.of("h200", "rtx3060-12");

    static Stream<Recording> recordings() {
        return GPUS.stream()
                .flatMap(gpu -> Fixtures.recordings(
                        Fixtures.recordings().resolve("cudnn").resolve(gpu))
                        .stream())
                .map(Recording::read);
    }

    @Test
    void thereAreRecordings() {
        assertEquals(26, recordings().count());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsExact(Recording recording) {
        RecordedRun run = new RecordedRun(recording);
        Prediction prediction =
                Predictor.predict(run.request(run.archive(Fixtures.models()).orElseThrow()));
        Comparison comparison = Comparison.of(recording, prediction);
        assertEquals("", comparison.structure());
        assertEquals(1, comparison.exactShare());
        assertEquals(0, comparison.worstReserved());
        assertEquals(prediction.convolutions().answered().keySet(), Set.of("asked"));
        assertTrue(prediction.convolutions().source().contains("cuDNN"));
    }
}
