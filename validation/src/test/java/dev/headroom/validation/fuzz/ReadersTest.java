package dev.headroom.validation.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that are good, and those that once found a defect. */
class ReadersTest {
    @ParameterizedTest
    @EnumSource(Reader.class)
    @Timeout(120)
    void answers(Reader reader) throws IOException {
        try (Judge judge = new Judge()) {
            for (int seed = 0; seed < reader.seeds(); seed++) {
                Judge.Answer answer = judge.answer(reader, reader.unchanged(seed));
                assertTrue(answer.isResult(), "seed " + seed + ": " + answer.said());
            }
            for (Path file : kept(reader)) {
                assertEquals(Optional.empty(), judge.defect(reader, Files.readAllBytes(file)), file.toString());
            }
        }
    }

    private static List<Path> kept(Reader reader) throws IOException {
        List<Path> kept = new ArrayList<>();
        if (Files.isDirectory(reader.findings())) {
            try (Stream<Path> files = Files.list(reader.findings())) {
                files.sorted().forEach(kept::add);
            }
        }
        return kept;
    }
}
