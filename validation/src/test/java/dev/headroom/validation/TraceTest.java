package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every allocation of a run, and what is freed after it, is the recorded one: sizes, order and number. */
class TraceTest {
    static Stream<Path> traces() {
        return Fixtures.recordings(Fixtures.recordings().resolve("traces")).stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("traces")
    void everyEventIsTheRecordedOne(Path file) {
        Recording recording = Recording.read(file);
        RecordedRun run = new RecordedRun(recording);
        Path archive = run.archive(Fixtures.models()).orElseThrow();
        TraceComparison comparison = TraceComparison.of(recording, Predictor.simulate(run.request(archive)));
        assertTrue(comparison.recorded() > 100, "the recording has no trace");
        assertTrue(comparison.equal(), () -> comparison.report(10));
    }
}
