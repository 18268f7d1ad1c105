package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --report} and {@code --compare}. */
class ReportTest {
    private static final String MODEL = "../../fixtures/models/mlp-xor.pt2";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int predict(String... options) {
        List<String> words = new ArrayList<>(List.of("predict", MODEL, "--batch", "64"));
        words.addAll(List.of(options));
        return new Cli(Services.REAL, false)
                .run(new PrintWriter(out), new PrintWriter(err), words.toArray(String[]::new));
    }

    private static JsonNode runs(Path page) throws Exception {
        String html = Files.readString(page);
        String open = "id=\"data\">";
        int from = html.indexOf(open) + open.length();
        return new ObjectMapper()
                .readTree(html.substring(from, html.indexOf("</script>", from)))
                .get("runs");
    }

    @Test
    void theReportTellsWhatTheScreenTells() throws Exception {
        Path page = folder.resolve("run.html");
        assertEquals(0, predict("--json", "--report", page.toString(), "--gpu", "rtx-3090"), err::toString);
        JsonNode printed = new ObjectMapper().readTree(out.toString());
        assertEquals(1, runs(page).size());
        assertEquals(printed, runs(page).at("/0/prediction"));
        assertTrue(runs(page).at("/0/verdict/0").asText().startsWith("Fits on NVIDIA GeForce RTX 3090"));
    }

    @Test
    void comparedScenariosReplaceOptionsAndKeepTheOthers() throws Exception {
        Path page = folder.resolve("run.html");
        int status = predict(
                "--optimizer",
                "sgd",
                "--memory",
                "1GiB",
                "--report",
                page.toString(),
                "--compare",
                "--batch 128 --optimizer=adam",
                "--compare",
                "--memory '12 MiB' --reentrant true",
                "--compare",
                "--fused");
        assertEquals(0, status, err::toString);
        JsonNode runs = runs(page);
        assertEquals(4, runs.size());
        assertTrue(runs.at("/3/prediction/scenario/fused").asBoolean());
        assertEquals("--batch 128 --optimizer=adam", runs.at("/1/label").asText());
        assertEquals(128, runs.at("/1/prediction/scenario/batch").asInt());
        assertEquals("adam", runs.at("/1/prediction/scenario/optimizer").asText());
        assertEquals(1 << 30, runs.at("/1/prediction/device/memory").asInt());
        assertEquals(64, runs.at("/2/prediction/scenario/batch").asInt());
        assertEquals("sgd", runs.at("/2/prediction/scenario/optimizer").asText());
        assertEquals(12 << 20, runs.at("/2/prediction/device/memory").asInt());
        assertTrue(runs.at("/2/prediction/warnings/0").asText().startsWith("--reentrant has no effect"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --batch 0       | --compare '--batch 0': --batch
            --bach 3        | --compare '--bach 3': unknown option '--bach'
            --gpu rtx-9999  | --compare '--gpu rtx-9999': --gpu: 'rtx-9999' is not in the catalogue
            other.pt2       | --compare 'other.pt2': 'other.pt2' is not an option
            --dim           | --compare '--dim': --dim needs a value
            """)
    void impossibleScenariosAreNamed(String options, String message) {
        int status = predict("--report", folder.resolve("run.html").toString(), "--compare", options);
        assertEquals(2, status);
        assertTrue(err.toString().startsWith("headroom: " + message), err.toString());
        assertEquals(1, err.toString().lines().count());
        assertTrue(Files.notExists(folder.resolve("run.html")));
    }

    @Test
    void comparingNeedsAPage() {
        assertEquals(2, predict("--compare", "--batch 3"));
        assertEquals(
                "headroom: --compare needs the page it goes on; add --report OUT.html",
                err.toString().strip());
    }

    @Test
    void aPageThatCannotBeWrittenIsBadInput() {
        assertEquals(2, predict("--report", folder.resolve("none/run.html").toString()));
        assertTrue(err.toString().contains("its folder does not exist"), err.toString());
    }
}
