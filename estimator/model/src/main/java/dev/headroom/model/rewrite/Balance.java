package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a mixture of experts adds to its loss so that routers use all of them.
 *
 * @param nodes that compute it
 * @param value the loss of the routers
 * @param sum of both losses
 */
record Balance(List<Node> nodes, String value, String sum) {
    private static final String FUNCTION = "/load_balancing_loss_func";

    /** The one that a graph has after its loss, or {@code null}. */
    static @Nullable Balance of(Graph graph, Node loss) {
        List<Node> nodes = new ArrayList<>();
        Set<String> made = new HashSet<>();
        @Nullable String value = null;
        @Nullable String sum = null;
        int at = graph.nodes().indexOf(loss);
        for (Node n : graph.nodes().subList(at + 1, graph.nodes().size())) {
            boolean inside =
                    n.moduleStack().stream().anyMatch(call -> call.call().contains(FUNCTION));
            boolean reads = n.reads().stream().anyMatch(made::contains);
            boolean results = !n.outputs().isEmpty();
            if (results && (inside || reads)) {
                nodes.add(n);
                made.addAll(n.outputs());
                value = inside ? n.outputs().get(0) : value;
                sum = n.outputs().get(0);
            }
        }
        return value == null || sum == null ? null : new Balance(nodes, value, sum);
    }
}
