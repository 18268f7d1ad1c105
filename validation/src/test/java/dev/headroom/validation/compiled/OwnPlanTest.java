package dev.headroom.validation.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.validation.finetune.FinetuneComparison;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans that {@code headroom export-help --compile} wrote: of a whole model they say the same as those of the recorder;
 * of blocks, graphs on either side of a break and checkpoints that Python calls, also what runs around them.
 */
class OwnPlanTest {
    private static final Path FOLDER = Fixtures.recordings().resolve("compile").resolve("own");

    private static FinetuneComparison compared(Path recording) {
        Path plan = FOLDER.resolve("plans").resolve(recording.getFileName());
        Recording recorded = Recording.read(recording);
        return FinetuneComparison.of(recorded, new CompiledRun(recorded, plan).request());
    }

    @Test
    void everyPhaseIsTheRecordedOne() {
        FinetuneComparison whole = compared(FOLDER.resolve("resnet18-b8-adamw.json.gz"));
        assertEquals("", String.join("\n", whole.differences()));
    }

    static List<Path> all() throws IOException {
        return Fixtures.recordings(FOLDER);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void peaksAreTheRecordedOnes(Path recording) {
        FinetuneComparison compared = compared(recording);
        long allocated = compared.recorded().maxAllocated();
        assertEquals(allocated, compared.predicted().maxAllocated(), allocated * 5e-4);
        assertEquals(compared.recorded().maxReserved(), compared.predicted().maxReserved());
    }
}
