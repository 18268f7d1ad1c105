package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** Reads a model file of any known format. */
public final class Importers {
    private Importers() {}

    /**
     * Reads the model with the importer that recognises the file's content.
     *
     * @throws UserInputException if the file is missing, of no known format, or cannot be read
     */
    public static Graph read(Path file) {
        if (Files.isDirectory(file)) {
            throw new UserInputException(file + " is a directory; name a model file such as model.pt2");
        }
        if (!Files.exists(file)) {
            throw new UserInputException(file + " does not exist");
        }
        if (!Files.isReadable(file)) {
            throw new UserInputException(file + " cannot be read: permission denied");
        }
        requireContent(file);
        StringJoiner formats = new StringJoiner(", ");
        for (Importer importer : ServiceLoader.load(Importer.class, Importers.class.getClassLoader())) {
            if (importer.accepts(file)) {
                return importer.read(file);
            }
            formats.add(importer.format());
        }
        throw new UserInputException(file + " is not a model file that Headroom reads; it reads " + formats);
    }

    private static void requireContent(Path file) {
        try {
            if (Files.size(file) == 0) {
                throw new UserInputException(file + " is empty");
            }
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
