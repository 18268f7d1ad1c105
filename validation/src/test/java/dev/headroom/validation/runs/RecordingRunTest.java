package dev.headroom.validation.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.validation.scores.Quantity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingRunTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @BeforeEach
    void archive() throws IOException {
        Files.copy(Fixtures.models().resolve("cnn-small.pt2"), folder.resolve("cnn-small.pt2"));
    }

    /** A recording with a trace, changed. */
    private Outcome outcome(Consumer<ObjectNode> change) throws IOException {
        Path traced = Fixtures.recordings().resolve("traces/cnn-small.json.gz");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(traced))) {
            ObjectNode root = (ObjectNode) JSON.readTree(in);
            change.accept(root);
            JSON.writeValue(folder.resolve("run.json").toFile(), root);
        }
        Validation validation = Validation.of(Sources.folder(folder), done -> {});
        assertEquals(0, validation.skipped().size(), () -> validation.skipped().toString());
        return validation.outcomes().get(0);
    }

    @Test
    void anEqualRunHasNoDivergence() throws IOException {
        Outcome outcome = outcome(root -> {});
        assertTrue(outcome.exact());
        assertEquals("", outcome.divergence());
        assertEquals("cnn", outcome.model());
        assertEquals("h200", outcome.gpu());
        assertNull(outcome.interval(), "null libraries");
    }

    @Test
    void theTraceNamesTheFirstAllocationThatDiffers() throws IOException {
        Outcome outcome = outcome(root -> ((ObjectNode) root.path("config")).put("batch", 101));
        assertFalse(outcome.exact());
        assertTrue(
                outcome.divergence()
                        .matches("first differs after inputs: .*; allocation 8: \\d+ bytes.*, predicted \\d+ bytes.*"),
                outcome::divergence);
    }

    @Test
    void aRealDeviceHasAnIntervalOfDeviceMemory() throws IOException {
        Outcome outcome = outcome(root -> {
            root.put("null_libraries", false);
            ((ObjectNode) root.path("phases").get(3)).put("device_used", 900_000_000L);
        });
        assertEquals(900_000_000L, outcome.interval().measured());
        assertEquals(0.9, outcome.interval().level());
        assertEquals(900_000_000L, outcome.peak(Quantity.DEVICE).orElseThrow().measured());
    }

    @Test
    void withoutDeviceMemoryTheIntervalIsOfReserved() throws IOException {
        Outcome outcome = outcome(root -> root.put("null_libraries", false));
        assertEquals(
                outcome.peak(Quantity.RESERVED).orElseThrow().measured(),
                outcome.interval().measured());
        assertTrue(outcome.interval().covers());
    }

    @Test
    void aRunThatRanOutWhereItWasSaidToFitHasNoBytesToCompare() throws IOException {
        Outcome outcome = outcome(root -> root.putObject("oom").put("during", "backward of step 0"));
        assertTrue(outcome.wrong());
        assertTrue(outcome.peaks().isEmpty());
        assertTrue(outcome.divergence().startsWith("out of memory in backward of step 0 in the recording"));
    }
}
