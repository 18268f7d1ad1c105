package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Drops the nodes that a rewrite left without a reader, and with them what the same line of Python made for nobody.
 * What nobody read before the rewrite stays otherwise.
 */
final class DeadCode {
    private DeadCode() {}

    /** @param keep values that are needed although no output depends on them */
    static Graph remove(Graph rewritten, Graph before, Set<String> keep) {
        Set<String> readBefore = live(before, Set.of());
        Set<String> readNow = live(rewritten, keep);
        Set<String> lines = new HashSet<>();
        for (Node n : rewritten.nodes()) {
            if (dead(n, readNow) && n.outputs().stream().anyMatch(readBefore::contains)) {
                lines.add(line(n));
            }
        }
        List<Node> kept = new ArrayList<>();
        for (Node n : rewritten.nodes()) {
            boolean check = n.outputs().isEmpty() && reads(n).stream().noneMatch(readNow::contains);
            boolean gone = dead(n, readNow) && lines.contains(line(n));
            if (!gone && !(check && lines.contains(line(n)))) {
                kept.add(n);
            }
        }
        return rewritten.withNodes(kept);
    }

    private static boolean dead(Node n, Set<String> live) {
        return !n.outputs().isEmpty() && n.outputs().stream().noneMatch(live::contains);
    }

    /** The innermost line of Python that ran, in its module call. */
    private static String line(Node n) {
        int at = n.stackTrace().lastIndexOf("File \"");
        String call = n.moduleStack().isEmpty()
                ? ""
                : n.moduleStack().get(n.moduleStack().size() - 1).call();
        return call + (at < 0 ? "" : n.stackTrace().substring(at));
    }

    /** Values that an output, or an operator that writes in place, needs. */
    private static Set<String> live(Graph graph, Set<String> keep) {
        Map<String, Node> producers = new HashMap<>();
        ArrayDeque<String> todo = new ArrayDeque<>(keep);
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
