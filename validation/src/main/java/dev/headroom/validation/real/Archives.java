package dev.headroom.validation.real;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Exported models by name, in folders. */
record Archives(List<Path> folders) {
    /** Where a model's archive lies; empty where there is none. */
    Optional<Path> find(String name) {
        return folders.stream()
                .map(f -> f.resolve(name + ".pt2"))
                .filter(Files::exists)
                .findFirst();
    }

    /** Reads an archive. */
    static Graph read(Path archive) {
        return Importers.read(archive);
    }
}
