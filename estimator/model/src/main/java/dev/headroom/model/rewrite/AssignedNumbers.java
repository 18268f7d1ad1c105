package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Numbers assigned to parts of a tensor, as in {@code mask[1:, :2] = 3}. Under tracing the number becomes a tensor that
 * is viewed, expanded and copied; eagerly the part is filled (torch/csrc/autograd/python_variable_indexing.cpp,
 * THPVariable_setitem).
 */
public final class AssignedNumbers {
    private static final String NUMBER = "aten.scalar_tensor";
    private static final String COPY = "aten.copy_";

    private AssignedNumbers() {}

    /** The graph with such copies as fills. */
    public static Graph restore(Graph graph) {
        if (graph.nodes().stream().noneMatch(n -> n.operator().equals(NUMBER))) {
            return graph;
        }
        Map<String, List<Node>> readers = new HashMap<>();
        for (Node n : graph.nodes()) {
            for (Node.NamedArgument a : n.arguments()) {
                if (a.value() instanceof Argument.Value v) {
                    readers.computeIfAbsent(v.name(), k -> new ArrayList<>()).add(n);
                } else if (a.value() instanceof Argument.Values vs) {
                    vs.names().forEach(v -> readers.computeIfAbsent(v, k -> new ArrayList<>())
                            .add(n));
                }
            }
        }
        Set<Node> dropped = new HashSet<>();
        Map<Node, Argument> fills = new HashMap<>();
        for (Node n : graph.nodes()) {
            if (n.operator().equals(NUMBER)) {
                follow(n, readers, dropped, fills);
            }
        }
        return fills.isEmpty() ? graph : rewritten(graph, dropped, fills);
    }

    private static void follow(
            Node number, Map<String, List<Node>> readers, Set<Node> dropped, Map<Node, Argument> fills) {
        List<Node> chain = new ArrayList<>(List.of(number));
        Node at = number;
        for (String operator : List.of("aten.view", "aten.expand", COPY)) {
            List<Node> next = readers.getOrDefault(at.outputs().get(0), List.of());
            if (next.size() != 1 || !next.get(0).operator().equals(operator)) {
                return;
            }
            at = next.get(0);
            chain.add(at);
        }
        boolean isSource = at.argument("src") instanceof Argument.Value v
                && v.name().equals(chain.get(2).outputs().get(0));
        if (isSource) {
            dropped.addAll(chain.subList(0, 3));
            fills.put(at, number.argument("s"));
        }
    }

    private static Graph rewritten(Graph graph, Set<Node> dropped, Map<Node, Argument> fills) {
        List<Node> nodes = new ArrayList<>();
        for (Node n : graph.nodes()) {
            if (dropped.contains(n)) {
                continue;
            }
            Argument number = fills.get(n);
            nodes.add(
                    number == null
                            ? n
                            : n.withTarget("aten.fill_.Scalar")
                                    .withArguments(List.of(
                                            new Node.NamedArgument("self", Objects.requireNonNull(n.argument("self"))),
                                            new Node.NamedArgument("value", number))));
        }
        return graph.withNodes(nodes);
    }
}
