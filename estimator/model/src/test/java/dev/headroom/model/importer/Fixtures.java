package dev.headroom.model.importer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the archives that tests read. */
final class Fixtures {
    private Fixtures() {}

    /** The repository's exported models: the folder is looked for from the working directory upwards. */
    static List<Path> models() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(f -> f.toString().endsWith(".pt2")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path model(String name) {
        return folder().resolve(name + ".pt2");
    }

    private static Path folder() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path models = at.resolve("fixtures").resolve("models");
            if (Files.isDirectory(models)) {
                return models;
            }
        }
        throw new IllegalStateException(
                "no folder fixtures/models above " + Path.of("").toAbsolutePath());
    }

    /** A file that lies next to this class among the test resources. */
    static byte[] resource(String name) {
        try (InputStream stream = Fixtures.class.getResourceAsStream(name)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path resource(String name, Path folder) {
        try {
            return Files.write(folder.resolve(name), resource(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
