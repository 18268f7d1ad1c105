package dev.headroom.model.importer;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Node.NamedArgument;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts expressions in the place of integers that arguments name. */
final class GraphResolver {
    private GraphResolver() {}

    /** The graph's nodes with no {@link NamedInt} left, in subgraphs neither. */
    static List<Node> resolve(Graph graph, Map<String, SymExpr> outer) {
        Map<String, SymExpr> ints = new HashMap<>(outer);
        ints.putAll(graph.ints());
        List<Node> nodes = new ArrayList<>(graph.nodes().size());
        for (Node node : graph.nodes()) {
            nodes.add(needsWork(node) ? resolve(node, ints) : node);
        }
        return List.copyOf(nodes);
    }

    private static boolean needsWork(Node node) {
        for (NamedArgument argument : node.arguments()) {
            Argument value = argument.value();
            if (value instanceof Argument.Int one && one.value() instanceof NamedInt
                    || value instanceof Argument.Ints many
                            && many.values().stream().anyMatch(NamedInt.class::isInstance)
                    || value instanceof Argument.Subgraph) {
                return true;
            }
        }
        return false;
    }

    private static Node resolve(Node node, Map<String, SymExpr> ints) {
        List<NamedArgument> arguments = new ArrayList<>();
        for (NamedArgument argument : node.arguments()) {
            arguments.add(new NamedArgument(argument.name(), resolve(argument.value(), ints)));
        }
        return node.withArguments(List.copyOf(arguments));
    }

    private static Argument resolve(Argument value, Map<String, SymExpr> ints) {
        if (value instanceof Argument.Int one) {
            return new Argument.Int(NamedInt.resolve(one.value(), ints));
        }
        if (value instanceof Argument.Ints many) {
            return new Argument.Ints(
                    many.values().stream().map(v -> NamedInt.resolve(v, ints)).toList());
        }
        if (value instanceof Argument.Subgraph body) {
            Graph graph = body.graph();
            return new Argument.Subgraph(
                    body.name(),
                    new Graph(
                            graph.name(),
                            graph.inputs(),
                            resolve(graph, ints),
                            graph.outputs(),
                            graph.values(),
                            graph.ints(),
                            graph.symbols(),
                            graph.state(),
                            graph.held()));
        }
        return value;
    }
}
