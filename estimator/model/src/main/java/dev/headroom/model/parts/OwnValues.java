package dev.headroom.model.parts;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Values that come of no input, but of what a model holds or of numbers alone, such as tables of positions and causal
 * masks: every part that reads them makes them.
 */
final class OwnValues {
    private final Graph graph;

    /** By value: the node that makes it. */
    private final Map<String, Integer> makers = new HashMap<>();

    OwnValues(Graph graph, Set<String> held) {
        this.graph = graph;
        Set<String> own = new HashSet<>(held);
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = graph.nodes().get(i);
            if (own.containsAll(node.reads()) && node.outputs().stream().allMatch(v -> v != null)) {
                for (String v : node.outputs()) {
                    own.add(v);
                    makers.put(v, i);
                }
            }
        }
    }

    boolean contains(String value) {
        return makers.containsKey(value);
    }

    /** Nodes before a range that make such values for it, in order. */
    List<Integer> behind(int from, int to) {
        TreeSet<Integer> needed = new TreeSet<>();
        for (Node node : graph.nodes().subList(from, to)) {
            node.reads().forEach(v -> need(v, from, needed));
        }
        return new ArrayList<>(needed);
    }

    private void need(String value, int from, Set<Integer> needed) {
        Integer maker = makers.get(value);
        if (maker != null && maker < from && needed.add(maker)) {
            graph.nodes().get(maker).reads().forEach(v -> need(v, from, needed));
        }
    }
}
