package dev.headroom.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The executor must not use the estimator's memory rules, autograd, optimizers or lifetimes: a comparison of two things
 * that share them could not fail.
 */
class IndependenceTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Pattern RULES = Pattern.compile("\\bdev\\.headroom\\.(estimator|advisor|app)\\b");

    @Test
    void theExecutorSharesNoRuleWithTheEstimator() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(SOURCES)) {
            files = all.filter(f -> f.toString().endsWith(".java")).toList();
        }
        assertTrue(files.size() > 100, "the sources are not here: " + SOURCES.toAbsolutePath());
        for (Path file : files) {
            assertEquals(
                    List.of(),
                    Files.readAllLines(file).stream()
                            .filter(line -> RULES.matcher(line).find())
                            .toList(),
                    file.toString());
        }
    }
}
