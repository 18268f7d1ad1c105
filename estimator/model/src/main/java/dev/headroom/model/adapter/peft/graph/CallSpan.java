package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A call of a module.
 *
 * @param depth of the module in the stacks of the nodes
 * @param nodes that run in it
 * @param inputs values of other calls that it reads, in order
 * @param outputs values that it makes and others read, in order
 */
public record CallSpan(int depth, List<Node> nodes, List<String> inputs, List<String> outputs) {
    /** The module. */
    public Node.ModuleCall module() {
        return nodes.get(0).moduleStack().get(depth);
    }

    /** Where each call of some modules begins and ends; of nested ones the outermost counts. */
    public static List<Range> ranges(List<Node> nodes, Predicate<String> modules) {
        List<Range> out = new ArrayList<>();
        int at = 0;
        while (at < nodes.size()) {
            List<Node.ModuleCall> stack = nodes.get(at).moduleStack();
            int depth = 0;
            while (depth < stack.size() && !modules.test(stack.get(depth).path())) {
                depth++;
            }
            int end = at + 1;
            if (depth < stack.size()) {
                String call = stack.get(depth).call();
                while (end < nodes.size() && isIn(nodes.get(end), depth, call)) {
                    end++;
                }
                out.add(new Range(at, end, depth));
            }
            at = end;
        }
        return out;
    }

    private static boolean isIn(Node node, int depth, String call) {
        List<Node.ModuleCall> stack = node.moduleStack();
        return depth < stack.size() && stack.get(depth).call().equals(call);
    }

    /**
     * Nodes of a call.
     *
     * @param from the first
     * @param to one after the last
     */
    public record Range(int from, int to, int depth) {}

    /** What is told of the calls of a graph. */
    public static List<CallSpan> of(Graph graph, List<Range> ranges) {
        List<Node> nodes = graph.nodes();
        Set<String> held = new HashSet<>();
        graph.inputs().stream().filter(i -> i.kind() != Graph.InputKind.USER).forEach(i -> held.add(i.value()));
        Set<String> readAfter = new HashSet<>();
        graph.outputs().forEach(o -> {
            if (o.value() != null) {
                readAfter.add(o.value());
            }
        });
        List<CallSpan> out = new ArrayList<>();
        int before = nodes.size();
        for (int r = ranges.size() - 1; r >= 0; r--) {
            Range range = ranges.get(r);
            nodes.subList(range.to, before).forEach(n -> readAfter.addAll(n.reads()));
            out.add(0, span(nodes.subList(range.from, range.to), range.depth, held, readAfter));
            before = range.to;
            nodes.subList(range.from, range.to).forEach(n -> readAfter.addAll(n.reads()));
            before = range.from;
        }
        return out;
    }

    private static CallSpan span(List<Node> nodes, int depth, Set<String> held, Set<String> readAfter) {
        Set<String> made = new HashSet<>();
        Set<String> inputs = new LinkedHashSet<>();
        List<String> outputs = new ArrayList<>(1);
        for (Node n : nodes) {
            for (String v : n.reads()) {
                if (!made.contains(v) && !held.contains(v)) {
                    inputs.add(v);
                }
            }
            for (String v : n.outputs()) {
                if (v != null) {
                    made.add(v);
                    if (readAfter.contains(v)) {
                        outputs.add(v);
                    }
                }
            }
        }
        return new CallSpan(depth, nodes, List.copyOf(inputs), outputs);
    }
}
