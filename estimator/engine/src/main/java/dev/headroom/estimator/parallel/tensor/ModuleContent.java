package dev.headroom.estimator.parallel.tensor;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.plan.ModuleStyle;

/** What a module is, as far as styles care. */
enum ModuleContent {
    LINEAR,
    EMBEDDING,
    OTHER;

    /** Read off the operators that the module itself calls. */
    static ModuleContent of(Graph graph, String path) {
        for (Node node : graph.nodes()) {
            if (node.module().equals(path)) {
                switch (node.operator()) {
                    case "aten.linear" -> {
                        return LINEAR;
                    }
                    case "aten.embedding" -> {
                        return EMBEDDING;
                    }
                    default -> {}
                }
            }
        }
        return OTHER;
    }

    /** @throws UserInputException where PyTorch has no such style for the module */
    void check(String path, ModuleStyle style) {
        boolean shares = style.kind() == ModuleStyle.Kind.COLWISE || style.kind() == ModuleStyle.Kind.ROWWISE;
        if (shares && this == OTHER) {
            throw new UserInputException("plan of tensor parallelism: " + path
                    + " is neither nn.Linear nor nn.Embedding, which alone ColwiseParallel and RowwiseParallel share");
        }
    }
}
