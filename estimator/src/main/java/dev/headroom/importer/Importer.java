package dev.headroom.importer;

import dev.headroom.graph.Graph;
import java.nio.file.Path;

/**
 * Reads one file format. Implementations are found by {@link java.util.ServiceLoader}: list a new one in
 * {@code META-INF/services/dev.headroom.importer.Importer}.
 */
public interface Importer {
    /** What this reads, for messages: "a torch.export archive (.pt2)". */
    String format();

    /** Whether the content of the file looks like this format, however damaged. Never throws. */
    boolean accepts(Path file);

    /**
     * Reads the file.
     *
     * @throws dev.headroom.graph.GraphException if it cannot be read: one line with the file, the fault and a remedy
     */
    Graph read(Path file);
}
