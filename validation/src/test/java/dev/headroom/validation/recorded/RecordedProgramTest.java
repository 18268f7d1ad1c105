package dev.headroom.validation.recorded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.command.Main;
import dev.headroom.fixtures.Fixtures;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs that the Python package recorded, custom functions among them, take what PyTorch took. */
class RecordedProgramTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> NUMBERS = List.of("allocated", "reserved", "max_allocated", "max_reserved");

    @ParameterizedTest(name = "{0}")
    @CsvSource({"bloom", "bloom-amp", "swish", "swish-amp", "gates", "branches"})
    void everyPhaseIsTheRecordedOne(String name) throws IOException {
        Path folder = Fixtures.folder().resolve("recorded");
        List<String> expected = phases(recording(folder.resolve(name + ".json.gz")));
        assertTrue(expected.size() > 10);
        JsonNode predicted =
                predict(folder.resolve(name.replace("-amp", "") + ".pt2").toString(), name.endsWith("-amp"));
        assertEquals(expected, phases(predicted));
        assertEquals(0, predicted.get("unmodelled").size());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"bloom", "swish", "gates", "branches"})
    void theExecutorTakesThat(String name) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String file =
                Fixtures.folder().resolve("recorded").resolve(name + ".pt2").toString();
        int status =
                Main.run(new PrintWriter(out), new PrintWriter(err), "measure", file, "--backend", "none", "--json");
        assertEquals(0, status, err.toString());
        JsonNode difference = JSON.readTree(out.toString()).get("difference");
        assertTrue(difference.get("equal").asBoolean(), difference.toString());
    }

    private static JsonNode predict(String file, boolean amp) throws IOException {
        List<String> line = new ArrayList<>(List.of("predict", file, "--json", "--cudnn-workspace", "none"));
        if (amp) {
            line.addAll(List.of("--amp", "bf16"));
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), line.toArray(String[]::new));
        assertEquals(0, status, err.toString());
        return JSON.readTree(out.toString());
    }

    private static JsonNode recording(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return JSON.readTree(in);
        }
    }

    /** A line each, but for the loading of the model, which no option asked for. */
    private static List<String> phases(JsonNode run) {
        List<String> lines = new ArrayList<>();
        for (JsonNode phase : run.get("phases")) {
            String name = phase.get("phase").asText();
            if (!name.equals("load")) {
                StringBuilder line =
                        new StringBuilder(name).append(phase.path("step").asText("null"));
                NUMBERS.forEach(key -> line.append(
                        String.format(Locale.ROOT, " %s %d", key, phase.get(key).asLong())));
                lines.add(line.toString().replace("null", ""));
            }
        }
        return lines;
    }
}
