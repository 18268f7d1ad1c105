package dev.headroom.model.graph;

import java.util.Optional;

/** The package of transformers that a model's class is in, such as {@code gpt2}, which stands for its family. */
public final class ModelPackage {
    private static final String MODELS = "transformers.models.";

    private ModelPackage() {}

    /** The one of a graph's outermost module; empty for a model of anybody else. */
    public static Optional<String> of(Graph graph) {
        return graph.nodes().stream()
                .filter(n -> !n.moduleStack().isEmpty())
                .findFirst()
                .map(n -> n.moduleStack().get(0).type())
                .filter(type -> type.startsWith(MODELS))
                .map(type -> type.substring(MODELS.length()).split("\\.", 2)[0]);
    }
}
