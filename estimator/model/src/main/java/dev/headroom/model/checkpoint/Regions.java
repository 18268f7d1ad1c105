package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes regions of one graph, whose readers are found once for all of them. */
public final class Regions {
    private final Graph graph;
    private final Set<String> ofModel = new HashSet<>();

    /** The last node that reads each value; a value that the graph gives is read after all nodes. */
    private final Map<String, Integer> lastReaders = new HashMap<>();

    public Regions(Graph graph) {
        this.graph = graph;
        graph.inputs().stream().filter(i -> i.kind() != Graph.InputKind.USER).forEach(i -> ofModel.add(i.value()));
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String value : graph.nodes().get(i).reads()) {
                lastReaders.put(value, i);
            }
        }
        graph.outputs().forEach(o -> lastReaders.put(o.value(), graph.nodes().size()));
    }

    /** Of a range of nodes. */
    public Region of(int from, int to) {
        return of(from, to, List.of());
    }

    /** @param given values that are handed to the region whether or not it reads them */
    Region of(int from, int to, List<String> given) {
        Set<String> held = new LinkedHashSet<>();
        Set<String> inputs = new LinkedHashSet<>();
        Set<String> made = new LinkedHashSet<>();
        for (Node node : graph.nodes().subList(from, to)) {
            for (String used : node.reads()) {
                if (!made.contains(used)) {
                    (ofModel.contains(used) ? held : inputs).add(used);
                }
            }
            node.outputs().stream().filter(o -> o != null).forEach(made::add);
        }
        inputs.addAll(given);
        made.removeIf(v -> lastReaders.getOrDefault(v, -1) < to);
        return new Region(from, to, List.copyOf(held), List.copyOf(inputs), new ArrayList<>(made), inputs.size());
    }
}
