package dev.headroom.model.graph;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    /** Operators whose result is the tensor itself where it has the type already. */
    private static final Set<String> OF_TYPE = Set.of("aten.to", "aten.type_as");

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
            String of = viewed(n, graph.values());
            Integer at = of == null ? null : seen.get(of);
            if (at != null && at > i && at.equals(seen.get(n.outputs().get(0)))) {
                latest.put(of, at);
            }
        }
        seen.keySet().removeAll(latest.keySet());
        return new ObservedReleases(seen, latest);
    }

    /** What a node gave a view of, or had in its type already, in the pass that was seen; {@code null} for nothing. */
    private static @Nullable String viewed(Node n, Map<String, TensorMeta> values) {
        boolean layout = OF_LAYOUT.contains(n.operator());
        if (!layout && !OF_TYPE.contains(n.operator())) {
            return null;
        }
        String source = n.tensor("self");
        TensorMeta from = source == null ? null : values.get(source);
        TensorMeta to = values.get(n.outputs().get(0));
        boolean shares = from != null && to != null && (layout ? from.isContiguous() : from.dtype() == to.dtype());
        return shares ? source : null;
    }
}
