package dev.headroom.validation.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.validation.finetune.FinetuneComparison;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Plans that {@code headroom export-help --compile} wrote say the same as those of the recorder. */
class OwnPlanTest {
    @Test
    void everyPhaseIsTheRecordedOne() {
        Path folder = Fixtures.recordings().resolve("compile").resolve("own");
        Recording recorded = Recording.read(folder.resolve("resnet18-b8-adamw.json.gz"));
        CompiledRun run = new CompiledRun(recorded, folder.resolve("resnet18-b8-adamw-plan.json.gz"));
        assertEquals(
                "",
                String.join("\n", FinetuneComparison.of(recorded, run.request()).differences()));
    }
}
