package dev.headroom.validation.finetune;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A rank of the Trainer takes what the recorded one took, in every phase and event. */
class TrainerRanksTest {
    static List<Path> recordings() {
        return Fixtures.recordings(Fixtures.recordings().resolve("trainer"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsTheRecordedOne(Path file) {
        FinetuneComparison compared = FinetuneComparison.of(Recording.read(file));
        assertEquals("", String.join("\n", compared.differences()) + compared.trace());
    }
}
