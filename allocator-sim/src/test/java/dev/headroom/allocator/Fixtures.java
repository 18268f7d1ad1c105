package dev.headroom.allocator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Finds and reads recordings of the real allocator. */
public final class Fixtures {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Fixtures() {}

    /** All recorded files of a folder below fixtures/recordings, by name. */
    public static List<Path> recordings(String folder) {
        try (Stream<Path> files = Files.list(root().resolve(folder))) {
            return files.filter(f -> f.toString().endsWith(".json.gz")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files of a folder that hold a trace; none when there is no such folder. */
    public static List<Path> withTrace(String folder) {
        if (!Files.isDirectory(root().resolve(folder))) {
            return List.of();
        }
        return recordings(folder).stream()
                .filter(file -> read(file).has("trace"))
                .toList();
    }

    public static JsonNode read(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return MAPPER.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder with all recordings. */
    public static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("fixtures/recordings");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "no folder fixtures/recordings above " + Path.of("").toAbsolutePath());
    }
}
