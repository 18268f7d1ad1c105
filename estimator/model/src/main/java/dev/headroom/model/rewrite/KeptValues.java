package dev.headroom.model.rewrite;

import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was seen to outlive a pass ({@link Node.Seen}), as nodes: attributes of the model that are bound anew or deleted,
 * and the moment at which the model returns to a program that goes on with the loss.
 */
public final class KeptValues {
    private KeptValues() {}

    /** The graph with those nodes; itself where nothing was seen. */
    public static Graph bound(Graph graph) {
        return bound(graph, graph.name());
    }

    private static Graph bound(Graph graph, String owner) {
        if (graph.nodes().stream().noneMatch(KeptValues::tells)) {
            return graph;
        }
        Map<String, Integer> makers = new HashMap<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String made : graph.nodes().get(i).outputs()) {
                makers.put(made, i);
            }
        }
        List<Node> nodes = new ArrayList<>();
        Set<String> deleted = deletedFirst(graph.nodes(), makers);
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = withBodies(graph.nodes().get(i));
            nodes.add(node);
            for (String value : node.seen().kept()) {
                nodes.add(at(node, deleted.contains(value) ? VariableNodes.DELETE : VariableNodes.BIND, owner, value));
            }
            for (String value : node.outputs()) {
                if (deleted.contains(value)) {
                    nodes.add(at(node, VariableNodes.BIND, owner, value));
                }
            }
            if (node.seen().returns()) {
                List<Node.ModuleCall> model = node.moduleStack()
                        .subList(0, Math.min(1, node.moduleStack().size()));
                nodes.add(new Node(
                        node.name() + "/return", VariableNodes.RETURN, List.of(), List.of(), model, node.stackTrace()));
            }
        }
        return graph.withNodes(nodes);
    }

    /** Values that go before their successors are there. */
    private static Set<String> deletedFirst(List<Node> nodes, Map<String, Integer> makers) {
        Set<String> out = new HashSet<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (String value : nodes.get(i).seen().kept()) {
                if (makers.getOrDefault(value, -1) > i) {
                    out.add(value);
                }
            }
        }
        return out;
    }

    private static boolean tells(Node node) {
        return !node.seen().kept().isEmpty()
                || node.seen().returns()
                || node.arguments().stream()
                        .anyMatch(a -> a.value() instanceof Argument.Subgraph s
                                && s.graph().nodes().stream().anyMatch(KeptValues::tells));
    }

    private static Node withBodies(Node node) {
        if (node.arguments().stream().noneMatch(a -> a.value() instanceof Argument.Subgraph)) {
            return node;
        }
        return node.withArguments(node.arguments().stream()
                .map(a -> a.value() instanceof Argument.Subgraph s
                        ? new Node.NamedArgument(
                                a.name(), new Argument.Subgraph(s.name(), bound(s.graph(), s.name())))
                        : a)
                .toList());
    }

    private static Node at(Node place, String target, String owner, String value) {
        String variable = VariableNodes.attribute(owner + "." + value);
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument(VariableNodes.NAME, new Argument.Text(variable)));
        if (target.equals(VariableNodes.BIND)) {
            arguments.add(new Node.NamedArgument("value", new Argument.Value(value)));
        }
        return new Node(
                place.name() + "/" + value, target, arguments, List.of(), place.moduleStack(), place.stackTrace());
    }
}
