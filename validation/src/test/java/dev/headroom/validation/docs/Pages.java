package dev.headroom.validation.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The repository's own documentation, in Markdown. */
final class Pages {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private Pages() {}

    /** The pages at the top, those in {@code docs}, and each module's page. */
    static List<Path> all() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
            return files.filter(f -> f.toString().endsWith(".md"))
                    .filter(f -> !f.toString().contains("target"))
                    .filter(f -> !f.startsWith(ROOT.resolve("fixtures")))
                    .sorted()
                    .toList();
        }
    }
}
