package dev.headroom.validation.finetune;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Models from a {@code config.json} take what the recorded ones took, in every phase and event. */
class FinetuneRecordingTest {
    private static final Path FOLDER = Fixtures.recordings().resolve("finetune");

    static List<String> equal() throws IOException {
        return Files.readAllLines(FOLDER.resolve("equal.txt"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("equal")
    void everyPhaseIsTheRecordedOne(String name) {
        FinetuneComparison compared = FinetuneComparison.of(Recording.read(FOLDER.resolve(name + ".json.gz")));
        assertEquals("", String.join("\n", compared.differences()) + compared.trace());
    }

    static List<Path> families() {
        return Fixtures.recordings(Fixtures.recordings().resolve("families"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void everyFamilyDoesWhatWasRecorded(Path file) {
        FinetuneComparison compared = FinetuneComparison.of(Recording.read(file));
        assertEquals("", String.join("\n", compared.differences()) + compared.trace());
    }
}
