package dev.headroom.estimator.program;

import dev.headroom.estimator.compile.rule.CallTypes;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.IdentityHashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The types that calls name, for tracing them: {@link NamedTypes} by nodes. */
final class TracedTypes implements CallTypes {
    private final NamedTypes named;
    private final DType run;
    private final IdentityHashMap<Node, Integer> places = new IdentityHashMap<>();

    TracedTypes(Graph graph, ModelTypes types) {
        named = new NamedTypes(graph, types);
        run = types.run();
        for (int i = 0; i < graph.nodes().size(); i++) {
            places.put(graph.nodes().get(i), i);
        }
    }

    private int place(Node node) {
        return Objects.requireNonNull(places.get(node), node::name);
    }

    @Override
    public DType run() {
        return run;
    }

    @Override
    public void note(String name, DType type) {
        named.note(name, type);
    }

    @Override
    public @Nullable DType at(Node node, @Nullable DType self, @Nullable DType lower) {
        return named.at(place(node), self, lower);
    }

    @Override
    public @Nullable String converted(Node node) {
        return named.converted(place(node));
    }

    @Override
    public boolean keepsOutOfAutocast(Node node) {
        return named.keepsOutOfAutocast(place(node));
    }
}
