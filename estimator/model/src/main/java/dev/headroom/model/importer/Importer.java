package dev.headroom.model.importer;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads one file format. Implementations are found by {@link java.util.ServiceLoader}: list a new one in
 * {@code META-INF/services/dev.headroom.model.importer.Importer}.
 */
public interface Importer {
    /** What this reads, for messages: "torch.export archives (.pt2)". */
    String format();

    /** Whether the file's content, or a name that no other format uses, says this format. Never throws. */
    boolean accepts(Path file);

    /**
     * Reads the file.
     *
     * @throws dev.headroom.model.error.UserInputException if it cannot be read: one line with the file, the fault and a
     *     remedy
     */
    Graph read(Path file);

    /** Names of the models that it has without a file. */
    default List<String> names() {
        return List.of();
    }

    /** Whether this has a model of a name that is no file. Never throws. */
    default boolean ships(String name) {
        return false;
    }

    /**
     * Reads the model that a scenario runs, where a file leaves it to the run what the model computes.
     *
     * @throws dev.headroom.model.error.UserInputException as {@link #read(Path)}
     */
    default Graph read(Path file, Scenario scenario) {
        return read(file);
    }
}
