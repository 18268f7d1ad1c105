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
        Set<Node> copies = copiesIntoBuffers(graph);
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = withBodies(graph.nodes().get(i));
            if (copies.contains(node) && !nodes.isEmpty()) {
                Node last = nodes.remove(nodes.size() - 1);
                List<String> released = new ArrayList<>(last.released());
                released.addAll(node.released());
                nodes.add(last.withSeen(last.seen().withReleased(released)));
                continue;
            }
            nodes.add(node);
            for (Node.Kept kept : node.seen().kept()) {
                String variable = VariableNodes.attribute(owner + "." + kept.value());
                if (!kept.buffer().isEmpty()) {
                    nodes.add(at(node, VariableNodes.BUFFER, kept.buffer(), kept.value()));
                } else if (deleted.contains(kept.value())) {
                    nodes.add(at(node, VariableNodes.DELETE, variable, kept.value()));
                } else {
                    nodes.add(at(node, VariableNodes.BIND, variable, kept.value()));
                }
            }
            for (String value : node.outputs()) {
                if (deleted.contains(value)) {
                    nodes.add(at(node, VariableNodes.BIND, VariableNodes.attribute(owner + "." + value), value));
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

    /** What an exporter writes for a buffer that is bound anew: a copy of the values, which no eager pass makes. */
    private static Set<Node> copiesIntoBuffers(Graph graph) {
        Map<String, String> bound = new HashMap<>();
        graph.nodes().forEach(n -> n.seen().kept().forEach(k -> bound.put(k.buffer(), k.value())));
        Map<String, String> values = new HashMap<>();
        graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.BUFFER && bound.containsKey(in.qualifiedName()))
                .forEach(in -> values.put(in.value(), bound.get(in.qualifiedName())));
        Set<Node> out = new HashSet<>();
        for (Node n : graph.nodes()) {
            List<String> reads = n.reads();
            if (n.operator().equals("aten.copy_") && reads.get(1).equals(values.get(reads.get(0)))) {
                out.add(n);
            }
        }
        return out;
    }

    /** Values that go before their successors are there. */
    private static Set<String> deletedFirst(List<Node> nodes, Map<String, Integer> makers) {
        Set<String> out = new HashSet<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (Node.Kept kept : nodes.get(i).seen().kept()) {
                if (kept.buffer().isEmpty() && makers.getOrDefault(kept.value(), -1) > i) {
                    out.add(kept.value());
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

    private static Node at(Node place, String target, String variable, String value) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument(VariableNodes.NAME, new Argument.Text(variable)));
        if (!target.equals(VariableNodes.DELETE)) {
            arguments.add(new Node.NamedArgument("value", new Argument.Value(value)));
        }
        return new Node(
                place.name() + "/" + value, target, arguments, List.of(), place.moduleStack(), place.stackTrace());
    }
}
