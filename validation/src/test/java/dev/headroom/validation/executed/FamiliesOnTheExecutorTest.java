package dev.headroom.validation.executed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.command.Main;
import dev.headroom.fixtures.Fixtures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Models from a {@code config.json} on the executor: the same memory as predicted in every phase. */
class FamiliesOnTheExecutorTest {
    /** Those with operators that the executor lacks. */
    private static final Set<String> LACKING = Set.of("qwen25vl-t", "qwen2vl-t", "qwen3vl-t", "qwen3vlmoe-t");

    /** Those of which a phase below the peak differs: tied weights are loaded in another order. */
    private static final Set<String> DIFFERING = Set.of("camem-t", "deberta3-t", "distil-t", "electra-g", "xlmr-t");

    /** Allocated and reserved bytes at the peak are as predicted. */
    private static final Pattern SAME_PEAK = Pattern.compile("(?m)^peak +[\\d.]+ +[\\d.]+ += +[\\d.]+ +[\\d.]+ +=$");

    static List<Path> models() throws IOException {
        try (Stream<Path> folders = Files.list(Fixtures.recordings().resolve("families"))) {
            return folders.filter(Files::isDirectory).sorted().toList();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("models")
    void everyPhaseIsAsPredicted(Path model) {
        String name = model.getFileName().toString();
        List<String> words =
                new ArrayList<>(List.of("measure", model.toString(), "--batch", "2", "--backend", "none", "--strict"));
        if (!name.startsWith("vit")) {
            words.addAll(List.of("--seq", "64"));
        }
        if (name.contains("vl-") || name.equals("qwen3vlmoe-t")) {
            words.addAll(List.of("--image-size", name.startsWith("qwen3") ? "64x96" : "56x84"));
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), words.toArray(String[]::new));
        if (LACKING.contains(name)) {
            assertTrue(err.toString().contains("the executor lacks"), () -> name + " runs now: " + err);
        } else {
            assertTrue(SAME_PEAK.matcher(out.toString()).find(), () -> err + "\n" + out);
            assertEquals(DIFFERING.contains(name) ? 1 : 0, status, () -> err + "\n" + out);
        }
    }
}
