package dev.headroom.validation.docs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.command.Main;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every command of the documentation prints what the page shows, in a process of its own that sees nothing of the tests:
 * these bring answers of cuDNN that users do not have. A command that several pages show is run once.
 */
class ConsoleExamplesTest {
    /** The command that computes; the others are short, and Java's first compiler serves them best, as in the launcher. */
    private static final String COMPUTES = "measure";

    private static final Map<List<String>, List<String>> PRINTED = new HashMap<>();
    private static final String CLASSPATH = Arrays.stream(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("test-classes") && !entry.endsWith("-tests.jar"))
            .collect(Collectors.joining(File.pathSeparator));

    static Stream<Arguments> examples() throws IOException {
        List<Arguments> all = new ArrayList<>();
        for (Path page : Pages.all()) {
            for (ConsoleExample example : ConsoleExample.of(Files.readString(page))) {
                all.add(Arguments.of(Pages.ROOT.relativize(page).toString(), example));
            }
        }
        return all.stream();
    }

    @Test
    void thereAreExamples() throws IOException {
        assertTrue(examples().count() >= 5);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("examples")
    void printsWhatThePageShows(String page, ConsoleExample example) throws IOException {
        List<String> printed = PRINTED.get(example.command());
        if (printed == null) {
            printed = run(example.command());
            PRINTED.put(example.command(), printed);
        }
        assertFalse(printed.isEmpty());
        String message = page + ": the command prints\n" + String.join("\n", printed);
        assertTrue(example.matches(printed), message);
    }

    private static List<String> run(List<String> words) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + (words.get(0).equals(COMPUTES) ? 4 : 1),
                "-Dheadroom.fixtures=" + Pages.ROOT.resolve("fixtures"),
                "-cp",
                CLASSPATH,
                Main.class.getName()));
        line.addAll(words);
        ProcessBuilder process =
                new ProcessBuilder(line).directory(Pages.ROOT.toFile()).redirectErrorStream(true);
        process.environment()
                .put("XDG_CONFIG_HOME", Pages.ROOT.resolve("target/config").toString());
        try (Stream<String> out =
                new String(process.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()) {
            return out.toList();
        }
    }
}
