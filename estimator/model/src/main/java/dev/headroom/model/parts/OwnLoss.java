package dev.headroom.model.parts;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The end of a model that computes its loss itself, of labels that nothing else reads: the last stage of a pipeline
 * returns what comes before, and the schedule's loss function does the rest.
 *
 * @param labels the user's inputs that only the loss reads
 * @param from first node of the loss; the number of nodes where there is none
 */
record OwnLoss(Set<String> labels, int from) {
    /** @param last first node of the last part */
    static OwnLoss of(Graph graph, int last) {
        int end = graph.nodes().size();
        Set<String> labels = new LinkedHashSet<>();
        graph.inputs().stream().filter(in -> in.kind() == Graph.InputKind.USER).forEach(in -> labels.add(in.value()));
        graph.nodes().subList(0, last).forEach(n -> labels.removeAll(n.reads()));
        if (last == 0) { // in a single stage, what the model is given first is no label
            labels.stream().findFirst().ifPresent(labels::remove);
        }
        Map<String, Integer> makers = new HashMap<>();
        Set<String> behind = new HashSet<>(labels);
        int first = end;
        for (int i = last; i < end; i++) {
            Node node = graph.nodes().get(i);
            boolean depends = node.reads().stream().anyMatch(behind::contains);
            for (String v : node.outputs()) {
                makers.put(v, i);
                if (depends) {
                    behind.add(v);
                }
            }
            first = depends ? Math.min(first, i) : first;
        }
        if (first == end) {
            return new OwnLoss(Set.of(), end);
        }
        // What the model returns beside the loss is the stage's.
        int returned = graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION && !behind.contains(o.value()))
                .mapToInt(o -> makers.getOrDefault(o.value(), -1) + 1)
                .max()
                .orElse(0);
        labels.removeIf(v -> graph.nodes().stream().noneMatch(n -> n.reads().contains(v)));
        return new OwnLoss(labels, returned > last && returned < first ? returned : first);
    }
}
