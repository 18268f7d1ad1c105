package dev.headroom.restore;

import dev.headroom.graph.Argument;
import dev.headroom.graph.Graph;
import dev.headroom.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Drops the nodes that a rewrite left without a reader. What nobody read before the rewrite stays. */
final class DeadCode {
    private DeadCode() {}

    static Graph remove(Graph rewritten, Graph before) {
        Set<String> readBefore = live(before);
        Set<String> readNow = live(rewritten);
        List<Node> kept = new ArrayList<>();
        for (Node n : rewritten.nodes()) {
            boolean dead = !n.outputs().isEmpty()
                    && n.outputs().stream().noneMatch(readNow::contains)
                    && n.outputs().stream().anyMatch(readBefore::contains);
            boolean checksDead = n.outputs().isEmpty() && reads(n).stream().noneMatch(readNow::contains);
            if (!dead && !checksDead) {
                kept.add(n);
            }
        }
        return new Graph(
                rewritten.name(),
                rewritten.inputs(),
                kept,
                rewritten.outputs(),
                rewritten.values(),
                rewritten.ints(),
                rewritten.symbols(),
                rewritten.state(),
                rewritten.held());
    }

    /** Values that an output, or an operator that writes in place, needs. */
    private static Set<String> live(Graph graph) {
        Map<String, Node> producers = new HashMap<>();
        ArrayDeque<String> todo = new ArrayDeque<>();
        for (Node n : graph.nodes()) {
            n.outputs().forEach(o -> producers.put(o, n));
            if (n.operator().endsWith("_") && !n.operator().endsWith("__")) {
                todo.addAll(reads(n));
                n.outputs().stream().filter(o -> o != null).forEach(todo::add);
            }
        }
        graph.outputs().stream().map(Graph.Output::value).filter(v -> v != null).forEach(todo::add);
        Set<String> live = new HashSet<>();
        while (!todo.isEmpty()) {
            String v = todo.pop();
            if (live.add(v) && producers.containsKey(v)) {
                todo.addAll(reads(producers.get(v)));
            }
        }
        return live;
    }

    private static List<String> reads(Node node) {
        List<String> out = new ArrayList<>();
        for (Node.NamedArgument a : node.arguments()) {
            if (a.value() instanceof Argument.Value v) {
                out.add(v.name());
            } else if (a.value() instanceof Argument.Values vs) {
                vs.names().stream().filter(v -> v != null).forEach(out::add);
            }
        }
        return out;
    }
}
