package dev.headroom.estimator.program;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tensors that a program makes of literals: {@code torch.tensor([1.0, 2.0], device=x.device)}. An archive holds the
 * tensor, and the last step of making it, {@code detach_}; the copy to the device before that is not in the graph.
 */
final class LiteralTensors {
    private static final String MADE = "aten.detach_.default";
    private static final String COPY = "aten.lift_fresh_copy.default";
    private static final Set<String> MOVING = Set.of("aten.to", "aten._to_copy");
    private static final Set<String> TAKING_HOST_INDICES = Set.of("aten.index", "aten.index_put", "aten.index_put_");

    private LiteralTensors() {}

    /** The graph, with literals that are made on the device copied there. */
    static Graph copied(Graph graph) {
        Set<String> constants = new HashSet<>();
        graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.CONSTANT)
                .forEach(in -> constants.add(in.value()));
        if (graph.nodes().stream().noneMatch(n -> isMade(n, constants))) {
            return graph;
        }
        Map<String, List<Node>> readers = new HashMap<>();
        Set<String> made = new HashSet<>(constants);
        for (Node n : graph.nodes()) {
            n.reads().forEach(r -> readers.computeIfAbsent(r, k -> new ArrayList<>(2))
                    .add(n));
            if (isMade(n, constants)) {
                made.addAll(n.outputs());
            }
        }
        boolean any = false;
        List<Node> out = new ArrayList<>(graph.nodes().size());
        for (Node n : graph.nodes()) {
            boolean copies = isMade(n, constants)
                    && onDevice(n, readers.getOrDefault(n.outputs().get(0), List.of()), made, graph);
            any |= copies;
            out.add(copies ? n.withTarget(COPY) : n);
        }
        return any ? graph.withNodes(out) : graph;
    }

    private static boolean isMade(Node n, Set<String> constants) {
        return n.target().equals(MADE) && constants.containsAll(n.reads());
    }

    /**
     * Whether a literal is on the device: its line says so and nothing brings it there later; or it meets a tensor that
     * no literal is, which one in host memory could only as a number.
     */
    private static boolean onDevice(Node made, List<Node> readers, Set<String> literals, Graph graph) {
        if (readers.stream().anyMatch(r -> MOVING.contains(r.operator()))) {
            return false;
        }
        String trace = made.stackTrace().strip();
        if (trace.substring(trace.lastIndexOf('\n') + 1).contains("device")) {
            return true;
        }
        boolean number = graph.meta(made.reads().get(0)).sizes().isEmpty();
        return readers.stream()
                .filter(r -> !number || r.operator().equals("aten.broadcast_tensors"))
                .filter(r -> !TAKING_HOST_INDICES.contains(r.operator()))
                .anyMatch(r -> !literals.containsAll(r.reads()));
    }
}
