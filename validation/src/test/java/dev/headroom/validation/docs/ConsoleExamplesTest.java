package dev.headroom.validation.docs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.command.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command of the documentation prints what the page shows. */
class ConsoleExamplesTest {
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
    void printsWhatThePageShows(String page, ConsoleExample example) {
        String[] words = example.command().stream()
                .map(w -> w.startsWith("fixtures/") ? Pages.ROOT.resolve(w).toString() : w)
                .toArray(String[]::new);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Main.run(new PrintWriter(out), new PrintWriter(err), words);
        String printed = err + out.toString();
        assertFalse(printed.isBlank());
        assertTrue(example.matches(printed.lines().toList()), () -> page + ": the command prints\n" + printed);
    }
}
