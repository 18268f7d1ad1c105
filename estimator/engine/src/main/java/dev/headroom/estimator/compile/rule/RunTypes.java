package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.program.ModelTypes;
import dev.headroom.estimator.program.NamedTypes;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What types calls of one graph name in a run of other types than the archive's. */
final class RunTypes {
    private final NamedTypes named;
    private final Map<Node, Integer> places = new IdentityHashMap<>();

    RunTypes(Graph graph, ModelTypes types) {
        named = new NamedTypes(graph, types.archive(), types.run());
        for (int i = 0; i < graph.nodes().size(); i++) {
            places.put(graph.nodes().get(i), i);
        }
    }

    private int place(Node node) {
        return Objects.requireNonNull(places.get(node), node::name);
    }

    /** A value has a type from now on. */
    void note(String name, DType type) {
        named.note(name, type);
    }

    /** The type that a call means, {@code null} for the one that the archive says. */
    @Nullable
    DType at(Node node, @Nullable DType self, @Nullable DType lower) {
        return named.at(place(node), self, lower);
    }

    /** The factor of a product that the program converts to the model's type before, {@code null} for none. */
    @Nullable
    String converted(Node node) {
        return named.converted(place(node));
    }

    /** Whether autocast is off for a call outside of gradients. */
    boolean keepsOutOfAutocast(Node node) {
        return named.keepsOutOfAutocast(place(node));
    }
}
