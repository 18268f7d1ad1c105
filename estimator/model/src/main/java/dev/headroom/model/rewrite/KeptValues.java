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
 * What was seen to outlive a pass ({@link Node.Seen}), as nodes: attributes of the model that are bound anew or
 * deleted, and the moment at which the model returns to a program that goes on with the loss.
 */
public final class KeptValues {
    private KeptValues() {}

    /** The graph with those nodes; itself where nothing was seen. */
    public static Graph bound(Graph graph) {
        return bound(graph, graph, graph.name());
    }

    /** @param whole which has the buffers */
    private static Graph bound(Graph graph, Graph whole, String owner) {
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
        Set<Node> copies = copiesIntoBuffers(graph);
        Map<String, Node.Kept> ahead = new HashMap<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = withBodies(graph.nodes().get(i), whole);
            if (copies.contains(node) && !nodes.isEmpty()) {
                Node last = nodes.remove(nodes.size() - 1);
                List<String> released = new ArrayList<>(last.released());
                released.addAll(node.released());
                nodes.add(last.withSeen(last.seen().withReleased(released)));
                continue;
            }
            nodes.add(node);
            for (Node.Kept kept : node.seen().kept()) {
                Integer maker = makers.get(kept.value());
                if (maker != null && maker <= i) {
                    nodes.add(bind(whole, node, owner, kept));
                } else if (maker != null) { // the one before goes before its successor is there
                    nodes.add(at(node, VariableNodes.DELETE, variable(owner, kept), kept.value()));
                    ahead.put(kept.value(), kept);
                }
            }
            for (String value : node.outputs()) {
                Node.Kept kept = ahead.remove(value);
                if (kept != null) {
                    nodes.add(bind(whole, node, owner, kept));
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

    private static Node bind(Graph whole, Node place, String owner, Node.Kept kept) {
        boolean isBuffer = whole.inputs().stream()
                .anyMatch(in ->
                        in.kind() == Graph.InputKind.BUFFER && kept.buffer().equals(in.qualifiedName()));
        return isBuffer
                ? at(place, VariableNodes.BUFFER, kept.buffer(), kept.value())
                : at(place, VariableNodes.BIND, variable(owner, kept), kept.value());
    }

    private static String variable(String owner, Node.Kept kept) {
        return VariableNodes.attribute(owner + "." + kept.value());
    }

    /**
     * What an exporter writes at the end for buffers that are bound anew: copies of their values, which no eager pass
     * makes.
     */
    private static Set<Node> copiesIntoBuffers(Graph graph) {
        Set<String> bound = new HashSet<>();
        addBuffers(graph, bound);
        Set<String> values = new HashSet<>();
        graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.BUFFER && bound.contains(in.qualifiedName()))
                .forEach(in -> values.add(in.value()));
        Set<Node> out = new HashSet<>();
        for (int i = graph.nodes().size() - 1; i >= 0; i--) {
            Node n = graph.nodes().get(i);
            if (!n.operator().equals("aten.copy_")) {
                break;
            }
            if (!n.reads().isEmpty() && values.contains(n.reads().get(0))) {
                out.add(n);
            }
        }
        return out;
    }

    private static void addBuffers(Graph graph, Set<String> to) {
        for (Node n : graph.nodes()) {
            n.seen().kept().forEach(k -> to.add(k.buffer()));
            n.arguments().stream()
                    .map(Node.NamedArgument::value)
                    .filter(Argument.Subgraph.class::isInstance)
                    .forEach(s -> addBuffers(((Argument.Subgraph) s).graph(), to));
        }
    }

    private static boolean tells(Node node) {
        return !node.seen().kept().isEmpty()
                || node.seen().returns()
                || node.arguments().stream()
                        .anyMatch(a -> a.value() instanceof Argument.Subgraph s
                                && s.graph().nodes().stream().anyMatch(KeptValues::tells));
    }

    private static Node withBodies(Node node, Graph whole) {
        if (node.arguments().stream().noneMatch(a -> a.value() instanceof Argument.Subgraph)) {
            return node;
        }
        return node.withArguments(node.arguments().stream()
                .map(a -> a.value() instanceof Argument.Subgraph s
                        ? new Node.NamedArgument(
                                a.name(), new Argument.Subgraph(s.name(), bound(s.graph(), whole, s.name())))
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
