package dev.headroom.validation.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wrong with a plan is said in one line. */
class HostilePlanTest {
    private static final Path PLANS = Fixtures.recordings().resolve("compile").resolve("plans");

    @TempDir
    Path folder;

    private static String whole() {
        return text(PLANS.resolve("cnn-small-b100-adam.json.gz"));
    }

    /** One that says what runs around its graphs. */
    private static String blocks() {
        return text(PLANS.resolveSibling("own").resolve("plans").resolve("vit-tiny-b8-blocks-bf16.json.gz"));
    }

    private static String text(Path plan) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(plan))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void predict(String text) throws IOException {
        Path file = Files.createTempFile("plan", ".json");
        try {
            Files.writeString(file, text);
            Predictor.simulate(new PredictionRequest(Importers.read(file), Scenario.defaults()));
        } finally {
            Files.delete(file);
        }
    }

    @Property(tries = 60)
    void cutOff(@ForAll @IntRange(min = 100, max = 20_000) int length) throws IOException {
        String text = whole();
        String cut = text.substring(0, Math.min(length, text.length() - 1));
        UserInputException said = assertThrows(UserInputException.class, () -> predict(cut));
        assertFalse(said.getMessage().contains("\n"));
    }

    @Property(tries = 300)
    void changed(@ForAll @IntRange(max = 1_000_000) int where, @ForAll("words") String word) throws IOException {
        changed(whole(), where, word);
    }

    @Property(tries = 150)
    void changedProgram(@ForAll @IntRange(max = 1_000_000) int where, @ForAll("words") String word) throws IOException {
        String text = blocks();
        int program = text.indexOf("\"program\"");
        changed(text, program + where % (text.length() - program), word);
    }

    private static void changed(String text, int where, String word) throws IOException {
        int from = text.indexOf('"', where % text.length());
        int to = from < 0 ? -1 : text.indexOf('"', from + 1);
        if (to > 0) {
            try {
                predict(text.substring(0, from + 1) + word + text.substring(to));
            } catch (UserInputException e) {
                assertFalse(String.valueOf(e.getMessage()).contains("\n"));
            }
        }
    }

    @net.jqwik.api.Provide
    net.jqwik.api.Arbitrary<String> words() {
        return net.jqwik.api.Arbitraries.of("", "buf0", "primals_1", "return", "free", "-1", "float8", "s0", "alias");
    }

    /** The name of a result becomes empty: what its operator gives has no sizes, and is no tensor. */
    @Test
    void resultsWithoutSizesAreNoTensors() throws IOException {
        changedProgram(128_385, "");
    }

    @Test
    void valuesThatNothingMadeAreNamed() {
        String text = blocks().replaceFirst("\\[\"end\",\"v\\d+\"]", "[\"end\",\"v99999\"]");
        UserInputException said = assertThrows(UserInputException.class, () -> predict(text));
        assertTrue(said.getMessage().contains("reads v99999, which nothing made"), said.getMessage());
    }

    private static void refused(String text, String because) {
        UserInputException said = assertThrows(UserInputException.class, () -> predict(text));
        assertTrue(said.getMessage().contains(because), said.getMessage());
        assertFalse(said.getMessage().contains("\n"));
    }

    @Test
    void passesThatDoNotFitAreNamed() {
        String several = text(PLANS.resolveSibling("own").resolve("plans").resolve("discriminator-b6-6-4-6.json.gz"));
        refused(several.replace("\"passes\":[0", "\"passes\":[9"), "passes names program 9, but there are only");
        refused(several.replace("\"passes\":[0", "\"passes\":[\"a\""), "passes is not a number of things");
        refused(several.replaceFirst("\"passes\":\\[[^]]*]", "\"passes\":[]"), "passes holds 0 passes");
        String batches = text(PLANS.resolve("resnet18-batches-adamw.json.gz"));
        refused(batches.replace("32,32,48,48,64,32", "32,many"), "config.batches is '32,many'");
    }

    @Test
    void plansOfBlocksSayNothingOfTheRest() {
        UserInputException said = assertThrows(
                UserInputException.class, () -> Importers.read(PLANS.resolve("gpt2-b8-512-adamw-blocks.json.gz")));
        assertTrue(said.getMessage().contains("blocks that are compiled one by one"), said.getMessage());
    }

    @Test
    void plansThatBeginBehindABreakAreNamed() {
        UserInputException said = assertThrows(
                UserInputException.class, () -> Importers.read(PLANS.resolve("resnet18-b16-adamw-ckpt4.json.gz")));
        assertTrue(said.getMessage().contains("no graph in it takes the batch"), said.getMessage());
    }

    @Test
    void plansWithoutGraphsAreNamed() throws IOException {
        Path file = folder.resolve("empty.json");
        Files.writeString(file, "{\"format\":1,\"partitions\":[],\"plans\":[]}");
        UserInputException said = assertThrows(UserInputException.class, () -> Importers.read(file));
        assertEquals(file + ": it holds no compiled graph of a model; was the backend Inductor?", said.getMessage());
    }
}
