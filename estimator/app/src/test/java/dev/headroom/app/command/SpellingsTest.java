package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class SpellingsTest {
    private static final List<String> OPTIONS = new CommandLine(new PredictCommand(Services.REAL, setting -> true).spec)
            .getCommandSpec().options().stream()
                    .map(CommandLine.Model.OptionSpec::longestName)
                    .toList();

    static Stream<String> rows() throws IOException {
        try (InputStream in = Objects.requireNonNull(Spellings.class.getResourceAsStream("spellings.csv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().filter(line -> !line.startsWith("#")).toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void everyRowNamesAnOptionOfPredict(String row) {
        String[] cells = row.split(",", 2);
        assertEquals(Optional.of(cells[1]), Spellings.of("--" + cells[0], OPTIONS));
    }

    @Test
    void commandsWithoutTheOptionSayNothing() {
        assertTrue(Spellings.of("--bs", List.of("--gpu")).isEmpty());
    }
}
