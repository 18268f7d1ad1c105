package dev.headroom.validation.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.importer.Importers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourcesTest {
    @Test
    void everyMeasuredRunOfTheProjectIsThere() {
        List<MeasuredRuns> all = Sources.fixtures();
        Map<String, Long> sources =
                all.stream().collect(Collectors.groupingBy(MeasuredRuns::source, Collectors.counting()));
        assertEquals(129, sources.get("xmem"));
        assertTrue(sources.get("recordings") >= 130, sources::toString);
        assertTrue(sources.get("published") >= 6, sources::toString);
        assertTrue(sources.get("random") >= 500, sources::toString);
        assertEquals(
                all.size(),
                all.stream()
                        .map(run -> run.source() + " " + run.name())
                        .distinct()
                        .count());
    }

    @Test
    void aRandomModelIsCompared() {
        MeasuredRuns first = Sources.fixtures().stream()
                .filter(run -> run.source().equals("random"))
                .findFirst()
                .orElseThrow();
        Outcome outcome = first.compare().get(0);
        assertTrue(outcome.exact(), outcome::divergence);
        assertTrue(outcome.phases().size() > 5);
    }

    @Test
    void aFolderWithoutRecordingsSaysHowToMakeThem(@TempDir Path empty) {
        UserInputException e = assertThrows(UserInputException.class, () -> Sources.folder(empty));
        assertTrue(e.getMessage().contains("--recorder"), e::getMessage);
    }

    /** One of each class, told by operators alone. */
    @ParameterizedTest
    @CsvSource({
        "resnet18-i224, cnn",
        "vit_b_16-i224, transformer",
        "gpt2-s512-eager, transformer",
        "seq2seq-gru-s50, recurrent",
        "mlp-xor, dense",
        "unet-i256, cnn"
    })
    void modelsAreTheirClass(String archive, String expected) {
        assertEquals(
                expected,
                ModelClass.of(Importers.read(Fixtures.models().resolve(archive + ".pt2")))
                        .label());
    }
}
