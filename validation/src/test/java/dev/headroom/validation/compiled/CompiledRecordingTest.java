package dev.headroom.validation.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.validation.finetune.FinetuneComparison;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans of {@code torch.compile} predict what the compiled runs took. */
class CompiledRecordingTest {
    private static final Path FOLDER = Fixtures.recordings().resolve("compile");

    private static FinetuneComparison compared(Path recording) {
        Path plan = FOLDER.resolve("plans").resolve(recording.getFileName());
        Recording recorded = Recording.read(recording);
        return FinetuneComparison.of(recorded, new CompiledRun(recorded, plan).request());
    }

    static List<Path> equal() throws IOException {
        return Files.readAllLines(FOLDER.resolve("equal.txt")).stream()
                .map(name -> FOLDER.resolve(name + ".json.gz"))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("equal")
    void everyPhaseIsTheRecordedOne(Path recording) {
        assertEquals("", String.join("\n", compared(recording).differences()));
    }

    static List<Path> near() throws IOException {
        List<String> far = Files.readAllLines(FOLDER.resolve("open.txt"));
        return Fixtures.recordings(FOLDER).stream()
                .filter(file -> far.stream().noneMatch(name -> file.endsWith(name + ".json.gz")))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("near")
    void peaksAreTheRecordedOnes(Path recording) {
        FinetuneComparison compared = compared(recording);
        near(0.1, compared.recorded().maxAllocated(), compared.predicted().maxAllocated());
        near(1, compared.recorded().maxReserved(), compared.predicted().maxReserved());
    }

    static void near(double percent, long recorded, long predicted) {
        double off = 100.0 * (predicted - recorded) / recorded;
        assertTrue(Math.abs(off) <= percent, () -> "recorded " + recorded + ", predicted " + predicted);
    }
}
