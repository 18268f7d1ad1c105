package dev.headroom.model.parts;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Makes graphs of parts. A part is called as a module of its own, which calls its items one after another ({@code for p
 * in parts: x = p(x)}) in place of the functions and containers that called them in the whole model.
 */
final class PartGraph {
    private static final String LOOP = "  File \"part\", line 1, in forward\n    x = p(x)\n";
    private static final String FILE = "File \"";

    private final Graph graph;
    private final Items items;

    PartGraph(Graph graph, Items items) {
        this.graph = graph;
        this.items = items;
    }

    Graph of(int part, List<Integer> members, Collection<String> inputs, Collection<String> outputs) {
        List<Node> nodes = new ArrayList<>();
        for (int i : members) {
            nodes.add(
                    items.layers()
                            ? graph.nodes().get(i)
                            : called(part, i, graph.nodes().get(i)));
        }
        List<Graph.Input> given = new ArrayList<>(graph.inputs().stream()
                .filter(in -> in.kind() != Graph.InputKind.USER)
                .toList());
        inputs.forEach(v -> given.add(new Graph.Input(Graph.InputKind.USER, v, v, false)));
        List<Graph.Output> made = outputs.stream()
                .map(v -> new Graph.Output(Graph.OutputKind.USER, v, v))
                .toList();
        return graph.withInputs(given).withNodes(nodes).withOutputs(made);
    }

    /** The node with the part and its item as the outermost calls. */
    private Node called(int part, int index, Node node) {
        int item = items.count() - 1;
        while (item > 0 && items.bounds().get(item) > index) {
            item--;
        }
        int depth = items.depth().get(item);
        List<Node.ModuleCall> before = node.moduleStack();
        if (before.size() < depth || before.isEmpty()) {
            return node;
        }
        List<Node.ModuleCall> stack = new ArrayList<>();
        stack.add(new Node.ModuleCall("part " + part, before.get(0).path(), ""));
        List<Node.ModuleCall> inside = before.subList(Math.min(depth, before.size() - 1), before.size());
        // The head of a classifier runs as its parent ran it, which is no module of the part.
        stack.add(new Node.ModuleCall(
                "item " + item, inside.get(0).path(), inside.get(0).type()));
        stack.addAll(inside.subList(1, inside.size()));
        return node.withModuleStack(stack)
                .withStackTrace(LOOP + without(node.stackTrace(), before.size() - inside.size()));
    }

    /** A stack trace without its outermost frames. */
    private static String without(String trace, int frames) {
        int at = trace.indexOf(FILE);
        for (int k = 0; k < frames && at >= 0; k++) {
            at = trace.indexOf(FILE, at + 1);
        }
        return at < 0 ? "" : "  " + trace.substring(at);
    }
}
