package dev.headroom.importer;

import dev.headroom.graph.Graph;
import dev.headroom.graph.GraphException;
import java.nio.file.Path;

/** Reads models of every known format. */
public final class Importers {
    private Importers() {}

    /**
     * Reads a model.
     *
     * @throws GraphException when it cannot be read, with a message for the user
     */
    public static Graph read(Path model) {
        throw new GraphException(model + ": no reader for this format");
    }
}
