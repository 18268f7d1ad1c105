package dev.headroom.model.graph;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When Python was seen to drop the values of a program, where somebody looked on ({@link Node#released}).
 *
 * @param at positions of the nodes after which values go, in the order in which they go
 * @param latest of values of which it was not seen when they go: the node after which they are gone
 */
public record ObservedReleases(Map<String, Integer> at, Map<String, Integer> latest) {
    /** Operators whose result is a view of a tensor that is row-major; of another it may be a copy. */
    private static final Set<String> OF_LAYOUT =
            Set.of("aten.reshape", "aten.reshape_as", "aten.flatten", "aten.contiguous");

    /**
     * Reads what nodes say. A value that is read later, because a pass over the program has put another reader there,
     * goes after its last reader.
     *
     * <p>A tensor lives at least as long as views of it. In a run of another type or layout a view may be a copy; so of
     * what went together with its view it was not seen when Python dropped it.
     */
    public static ObservedReleases of(Graph graph) {
        List<Node> nodes = graph.nodes();
        Map<String, Integer> seen = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (String value : nodes.get(i).released()) {
                seen.put(value, i);
            }
            for (String value : nodes.get(i).reads()) {
                seen.replace(value, i);
            }
        }
        Map<String, Integer> latest = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            String of = seen.isEmpty() ? null : n.tensor("self");
            Integer at = of == null ? null : seen.get(of);
            boolean together = at != null
                    && at > i
                    && !n.outputs().isEmpty()
                    && at.equals(seen.get(n.outputs().get(0)));
            if (of != null && together && shares(n, of, graph)) {
                latest.put(of, at);
            }
        }
        seen.keySet().removeAll(latest.keySet());
        return new ObservedReleases(seen, latest);
    }

    /** Whether a node gave a view of a tensor, or the tensor itself, in the pass that was seen. */
    private static boolean shares(Node n, String of, Graph graph) {
        TensorMeta from = graph.values().get(of);
        return OF_LAYOUT.contains(n.operator()) && from != null && from.isContiguous() || graph.isToOwnType(n);
    }
}
