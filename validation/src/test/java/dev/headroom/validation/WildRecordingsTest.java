package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Small models of many kinds, exported in float32 and run in many regimes: every phase is the recorded one. */
class WildRecordingsTest {
    private static final Path FOLDER = Fixtures.folder().resolve("wild");

    static Stream<Path> recordings() {
        return Fixtures.recordings(FOLDER).stream();
    }

    @Test
    void thereAreManyOfThem() {
        assertTrue(recordings().count() > 150);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsTheRecordedOne(Path file) {
        Recording recording = Recording.read(file);
        RecordedRun run = new RecordedRun(recording);
        Comparison comparison = Comparison.of(
                recording, Predictor.predict(run.request(run.archive(FOLDER).orElseThrow())));
        assertEquals("", comparison.structure());
        assertEquals("", comparison.firstDivergence());
    }
}
