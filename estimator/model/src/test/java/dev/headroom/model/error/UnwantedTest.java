package dev.headroom.model.error;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.family.ConfigImporter;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** A model is not built to its end for somebody who went away. */
class UnwantedTest {
    @Test
    void buildingEndsWhenInterrupted() {
        Scenario asked =
                Scenario.defaults().withModel(Scenario.defaults().model().withSeq(8L));
        Thread.currentThread().interrupt();
        try {
            assertThrows(CancellationException.class, () -> new ConfigImporter().read(Path.of("qwen3-0.6b"), asked));
        } finally {
            assertTrue(Thread.interrupted());
        }
    }
}
