package dev.headroom.validation.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Recordings that the callback of the Python package made inside of transformers' Trainer: fixtures/recorded/README.md. */
class CallbackRecordingsTest {
    @Test
    void theRecordingSaysWhoseLoopItIs() {
        Validation validation = Validation.of(
                Sources.folder(Fixtures.folder().resolve("recorded").resolve("trainer")), done -> {});
        assertEquals(List.of(), validation.skipped());
        assertEquals(2, validation.outcomes().size());
        for (Outcome outcome : validation.outcomes()) {
            outcome.peaks().forEach(peak -> assertEquals(peak.measured(), peak.predicted(), outcome.name()));
        }
    }
}
