package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.validation.parallel.RankComparison;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A rank takes what the recorded rank took: in every phase, event by event where there is a trace, with its
 * collectives.
 */
class ParallelRecordingTest {
    static Stream<Path> recordings() {
        return Fixtures.recordings(Fixtures.recordings().resolve("parallel")).stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsTheRecordedOne(Path file) {
        Recording recording = Recording.read(file);
        RankComparison compared = RankComparison.of(
                recording, new RecordedRun(recording).archive(Fixtures.models()).orElseThrow());
        assertEquals("", compared.traces());
        assertEquals(compared.outOfMemory().recorded(), compared.outOfMemory().predicted());
        assertEquals(
                compared.phases().stream().map(RankComparison.Pair::recorded).toList(),
                compared.phases().stream().map(RankComparison.Pair::predicted).toList());
    }
}
