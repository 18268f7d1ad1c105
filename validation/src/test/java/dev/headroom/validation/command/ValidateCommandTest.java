package dev.headroom.validation.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.app.command.Subcommand;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValidateCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @BeforeEach
    void archive() throws IOException {
        Files.copy(Fixtures.models().resolve("cnn-small.pt2"), folder.resolve("net.pt2"));
    }

    /** A recording of the project in the form that users record in. */
    private void record(String name, Consumer<ObjectNode> change) throws IOException {
        ObjectNode root = (ObjectNode) Recording.read(Fixtures.recordings().resolve("cnn-small-b100-adam.json.gz"))
                .root();
        root.remove("config");
        root.put("archive", "net.pt2");
        root.putObject("scenario").put("batch", 100).put("optimizer", "adam").put("loss", "mse");
        change.accept(root);
        write(name, JSON.writeValueAsString(root));
    }

    private void write(String name, String text) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve(name)))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private CommandResult run(String... options) {
        return CommandResult.of(Stream.concat(Stream.of(folder.toString()), Arrays.stream(options))
                .toArray(String[]::new));
    }

    @Test
    void theCommandLineFindsIt() {
        assertTrue(ServiceLoader.load(Subcommand.class).stream().anyMatch(p -> p.type() == ValidateCommand.class));
    }

    @Test
    void anExactRecordingPasses() throws IOException {
        record("mine.json.gz", root -> {});
        CommandResult result = run(
                "--max-error", "0", "--max-median-error", "0 %", "--max-90-error", "0", "--max-wrong-verdicts", "0");
        assertEquals("", result.err());
        assertEquals(0, result.status());
        assertTrue(result.out().contains("1 measured and 0 skipped"), result::out);
        assertTrue(result.out().contains("verdicts: 1 of 1 right"), result::out);
    }

    @Test
    void aScreenIsAScreen() throws IOException {
        record("mine.json.gz", root -> {});
        List<String> lines = run().out().lines().toList();
        assertTrue(lines.size() <= 23 && lines.stream().allMatch(l -> l.length() <= 79), lines::toString);
    }

    @Test
    void errorsAboveAThresholdAreNamed() throws IOException {
        record("mine.json.gz", root -> {});
        record("off.json.gz", ValidateCommandTest::tenPercentMore);
        CommandResult result = run("--max-error", "5", "--max-median-error", "1", "--max-90-error", "2%");
        assertEquals(3, result.status());
        assertEquals(3, result.err().lines().count(), result::err);
        assertTrue(result.err().contains("off: the worst error of 9.09 % is above --max-error 5"), result::err);
        assertEquals(0, run("--max-error", "10").status());
    }

    private static void tenPercentMore(ObjectNode root) {
        root.path("phases").forEach(phase -> ((ObjectNode) phase)
                .put("max_allocated", phase.path("max_allocated").asLong() * 11 / 10));
    }

    @Test
    void everyRunShowsItsPhases() throws IOException {
        record("off.json.gz", ValidateCommandTest::tenPercentMore);
        CommandResult result = run("--all");
        assertTrue(result.out().contains("backward 0: allocated +0, max_allocated -"), result::out);
        assertTrue(result.out().contains("first differs after model: allocated +0, max_allocated -"), result::out);
    }

    @Test
    void aWrongVerdictIsNamed() throws IOException {
        record("oom.json.gz", root -> root.putObject("oom").put("during", "backward of step 1"));
        CommandResult result = run("--max-wrong-verdicts", "0", "--max-brier", "0.5");
        assertEquals(3, result.status());
        assertTrue(result.err().contains("1 wrong verdicts are more than --max-wrong-verdicts 0"), result::err);
        assertTrue(result.out().contains("worst: said to fit"), result::out);
    }

    @Test
    void withoutIntervalsThereIsNoCoverage() throws IOException {
        record("mine.json.gz", root -> root.putNull("sms"));
        assertEquals(3, run("--min-coverage", "90").status());
    }

    @Test
    void deviceMemoryIsCompared() throws IOException {
        record("mine.json.gz", root -> ((ObjectNode) root.path("phases").get(4)).put("device_used", 1_000_000_000L));
        assertTrue(run("--all").out().lines().anyMatch(l -> l.startsWith("device ") && l.contains(" 1 ")));
    }

    @Test
    void brokenFilesAreNamedAndTheRestGoesOn() throws IOException {
        record("good.json.gz", root -> {});
        byte[] whole = Files.readAllBytes(folder.resolve("good.json.gz"));
        Files.write(folder.resolve("cut.json.gz"), Arrays.copyOf(whole, whole.length / 2));
        Files.writeString(folder.resolve("plain.json.gz"), "no gzip");
        Files.writeString(folder.resolve("text.json"), "{\"phases\": oops}");
        write("array.json.gz", "[]");
        write("deep.json.gz", "{\"config\":" + "[".repeat(100_000));
        write("empty.json.gz", "");
        record("bare.json.gz", root -> root.remove("scenario"));
        record("nophases.json.gz", root -> root.putArray("phases"));
        record("negative.json.gz", root -> ((ObjectNode) root.path("phases").get(0)).put("reserved", -1));
        record("words.json.gz", root -> root.put("total_bytes", "much"));
        record("phase.json.gz", root -> ((ObjectNode) root.path("phases").get(1)).put("phase", "lunch\u001b[2J"));
        record("escape.json.gz", root -> root.put("archive", "../../secret.pt2"));
        record("absent.json.gz", root -> root.put("archive", "absent.pt2"));
        record("option.json.gz", root -> ((ObjectNode) root.path("scenario")).put("optimiser", "adam"));
        record("version.json.gz", root -> ((ObjectNode) root.path("versions")).put("torch", "new"));
        CommandResult result = run();
        assertEquals(2, result.status());
        assertTrue(result.out().contains("1 measured and 15 skipped"), result::out);
        assertEquals(15, result.err().lines().count(), result::err);
        assertAll(Stream.of(
                        "cut.json.gz: it is cut off",
                        "plain.json.gz: it is not a complete gzip file",
                        "text.json: it is not JSON at line 1",
                        "array.json.gz: it is no JSON object",
                        "deep.json.gz: it is larger or deeper",
                        "empty.json.gz: it is no JSON object",
                        "bare.json.gz: it has no scenario",
                        "nophases.json.gz: it has no phases",
                        "negative.json.gz: phase model: reserved is not a number of bytes",
                        "words.json.gz: total_bytes is not a number of bytes",
                        "phase.json.gz: phase 'lunch?[2J' is unknown",
                        "escape.json.gz: archive: ../../secret.pt2 is outside",
                        "absent.json.gz: no archive of its model; put absent.pt2 beside it",
                        "option.json.gz: scenario: ",
                        "version.json.gz: versions: torch is 'new'")
                .map(line -> () -> assertTrue(result.err().contains("headroom: " + line), line + "\n" + result.err())));
    }

    @Test
    void namesOutOfFilesReachNoTerminal() throws IOException {
        record("mine.json.gz", root -> root.put("device", "GPU\u001b[2J").put("sms", 10));
        CommandResult result = run("--all");
        assertTrue(result.out().contains("GPU?[2J"), result::out);
        assertTrue((result.out() + result.err()).indexOf(0x1b) < 0);
    }

    @Test
    void jsonIsOneObject() throws IOException {
        record("mine.json.gz", root -> {});
        CommandResult result = run("--json", "--max-error=0");
        assertEquals(1, JSON.readTree(result.out()).at("/errors/all/runs").asInt());
        assertEquals("", result.err());
    }

    @Test
    void thePageIsWrittenBesideTheScreen() throws IOException {
        record("mine.json.gz", root -> {});
        Path page = folder.resolve("page.html");
        assertEquals(0, run("--html", page.toString()).status());
        assertTrue(Files.readString(page).contains("mine</td>"));
        String nowhere = folder.resolve("no/page.html").toString();
        assertTrue(run("--html", nowhere).failure().getMessage().contains("does not exist"));
    }

    @Test
    void badInputIsRefusedAtOnce() throws IOException {
        assertTrue(run().failure().getMessage().contains("holds no recordings"));
        record("mine.json.gz", root -> {});
        assertTrue(run("--max-error", "few").failure().getMessage().contains("--max-error: 'few' is not a number"));
        assertTrue(run("--max-error=-1").failure().getMessage().contains("out of range"));
        assertTrue(run("--only", "else").failure().getMessage().contains("no run has 'else'"));
        CommandResult none = CommandResult.of(folder.resolve("nowhere").toString());
        assertTrue(none.failure().getMessage().contains("is not a folder"));
    }

    /** Made by the recorder's script around loops of a user: a GradScaler, a loader, memory that runs out. */
    @Test
    void whatTheRecorderWroteIsExact() {
        Path recorded = Fixtures.recordings().resolve("recorder");
        CommandResult result =
                CommandResult.of(recorded.toString(), "--all", "--max-error=0", "--max-wrong-verdicts=0");
        assertEquals(0, result.status(), result::err);
        assertTrue(result.out().contains("3 measured and 0 skipped"), result::out);
        assertTrue(result.out().lines().noneMatch(l -> l.startsWith("    ")), result::out);
        assertTrue(
                result.out().lines().anyMatch(l -> l.contains("perceptron-oom") && l.contains("OOM (risk ")),
                result::out);
    }

    @Test
    void theRecorderIsWrittenOnce() throws IOException {
        Path file = folder.resolve("record.py");
        assertEquals(0, CommandResult.of("--recorder", file.toString()).status());
        assertTrue(Files.readString(file).contains("class watch:"));
        assertTrue(CommandResult.of("--recorder", file.toString())
                .failure()
                .getMessage()
                .contains("exists already"));
        assertTrue(CommandResult.of("--recorder", folder.resolve("no/record.py").toString())
                .failure()
                .getMessage()
                .contains("does not exist"));
    }

    /** Before it predicts for minutes what it cannot write down. */
    @Test
    void aFolderThatIsNotThereIsToldAtOnce() {
        Path lost = folder.resolve("lost").resolve("page");
        for (String option : List.of("--accuracy", "--html")) {
            assertEquals(
                    option + ": " + lost + " cannot be written: its folder does not exist",
                    run(option, lost.toString()).failure().getMessage());
        }
    }
}
