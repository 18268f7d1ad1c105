package dev.headroom.model.checkpoint;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chain of modules, each of which reads only what the one before it made: what users hand to
 * {@code checkpoint_sequential}. It is made of the modules in an {@code nn.Sequential}, or in several that follow each
 * other without an operator in between; what their parent runs before them is one more block, the stem. The outermost
 * module with such a chain counts, and in it the longest; its Sequentials have to hold at least half of the model's
 * operators, as who asks to split the model means no detail of it. What comes after the chain runs unchecked: the tail.
 */
final class Chain {
    /** One after the last node of a block begins the next: {@code bounds[k]} to {@code bounds[k + 1]} is block k. */
    private final int[] bounds;

    private final Graph graph;

    /** Entries of the module stacks that stay: those above the containers. */
    private final int depth;

    /** First node in a container. */
    private final int contained;

    /** One after the last node of the module whose chain it is. */
    private final int end;

    private Chain(Graph graph, int depth, int contained, int end, List<Integer> bounds) {
        this.graph = graph;
        this.depth = depth;
        this.contained = contained;
        this.end = end;
        this.bounds = bounds.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The chain of a graph, or {@code null}. */
    static @Nullable Chain of(Graph graph) {
        ArrayDeque<ModuleCalls.Call> next = new ArrayDeque<>(ModuleCalls.roots(graph));
        while (!next.isEmpty()) {
            ModuleCalls.Call parent = next.poll();
            Chain chain = below(graph, parent);
            if (chain != null) {
                return chain;
            }
            next.addAll(parent.children());
        }
        return null;
    }

    private static @Nullable Chain below(Graph graph, ModuleCalls.Call parent) {
        if (parent.isSequential()) {
            return chain(graph, parent, List.of(parent));
        }
        List<ModuleCalls.Call> best = List.of();
        List<ModuleCalls.Call> run = new ArrayList<>();
        for (ModuleCalls.Call c : parent.children()) {
            boolean follows = !run.isEmpty() && run.get(run.size() - 1).to() == c.from();
            if (!follows || !c.isSequential()) {
                run = new ArrayList<>();
            }
            if (c.isSequential()) {
                run.add(c);
                best = blocks(graph, run) > blocks(graph, best) ? List.copyOf(run) : best;
            }
        }
        return blocks(graph, best) < 2 ? null : chain(graph, parent, best);
    }

    private static int blocks(Graph graph, List<ModuleCalls.Call> containers) {
        return containers.stream().mapToInt(c -> blocks(graph, c)).sum();
    }

    /** Modules in a container, those included that run no operator. */
    private static int blocks(Graph graph, ModuleCalls.Call container) {
        int last = container.children().size() - 1;
        for (ModuleCalls.Call c : container.children()) {
            last = Math.max(last, c.index());
        }
        String prefix = container.path().isEmpty() ? "" : container.path() + ".";
        for (String path : graph.held().modules()) {
            String name = path.startsWith(prefix) ? path.substring(prefix.length()) : "";
            if (ModelState.owner(path).equals(container.path()) && name.matches("\\d{1,6}")) {
                last = Math.max(last, Integer.parseInt(name));
            }
        }
        return last + 1;
    }

    private static @Nullable Chain chain(Graph graph, ModuleCalls.Call parent, List<ModuleCalls.Call> containers) {
        List<Integer> bounds = new ArrayList<>();
        int begin = containers.get(0).from();
        if (begin > parent.from()) {
            bounds.add(parent.from());
        }
        bounds.add(begin);
        for (ModuleCalls.Call container : containers) {
            int first = bounds.size() - 1;
            int count = blocks(graph, container);
            int k = 0;
            for (ModuleCalls.Call c : container.children()) {
                for (; k < c.index(); k++) { // modules without operators
                    bounds.add(c.from());
                }
                bounds.add(c.to());
                k++;
            }
            while (bounds.size() - 1 - first < count) {
                bounds.add(container.to());
            }
            bounds.set(bounds.size() - 1, container.to());
        }
        boolean itself = parent.isSequential();
        int operators = bounds.get(bounds.size() - 1) - begin;
        boolean most = 2 * operators >= graph.nodes().size();
        return bounds.size() < 3 || !most
                ? null
                : new Chain(graph, parent.depth() + (itself ? 0 : 1), begin, parent.to(), bounds);
    }

    /** Number of its modules, those without operators and the stem included. */
    int length() {
        return bounds.length - 1;
    }

    /** Splits as {@code checkpoint_sequential} does (torch/utils/checkpoint.py): the last segment runs unchecked. */
    CheckpointPlan split(int segments, boolean reentrant) {
        int blocks = length();
        int size = blocks / segments;
        if (size == 0) {
            throw new UserInputException("`checkpoint=" + segments + "`: the model's chain has only " + blocks
                    + " modules; ask for at most that many segments");
        }
        List<Integer> ends = new ArrayList<>();
        for (int k = 1; k < segments; k++) {
            ends.add(bounds[k * size]);
        }
        ends.add(bounds[blocks]);
        Graph called = withSegments(ends);
        List<Region> regions = new ArrayList<>();
        int from = bounds[0];
        for (int to : ends.subList(0, ends.size() - 1)) {
            if (to > from) {
                regions.add(link(called, from, to));
            }
            from = to;
        }
        return new CheckpointPlan(called, regions, reentrant);
    }

    private static Region link(Graph graph, int from, int to) {
        Region r = Region.of(graph, from, to);
        if (r.inputs().size() != 1 || r.outputs().size() != 1) {
            throw new UserInputException("`checkpoint`: the operators of '"
                    + graph.nodes().get(from).module() + "' to '"
                    + graph.nodes().get(to - 1).module() + "' read "
                    + r.inputs().size() + " values and make "
                    + r.outputs().size() + " for others, so that the model is no chain; name what to recompute with"
                    + " `checkpoint_modules`");
        }
        return r;
    }

    /**
     * The graph with one call a segment, and one for the tail, in place of the containers' calls: who calls them holds
     * their argument until they return.
     */
    private Graph withSegments(List<Integer> ends) {
        List<Node> nodes = new ArrayList<>(graph.nodes());
        int begin = bounds[0];
        for (int k = 0; k <= ends.size(); k++) {
            int to = k < ends.size() ? ends.get(k) : end;
            Node.ModuleCall call = new Node.ModuleCall("segment " + k, "", "");
            for (int i = begin; i < to; i++) {
                nodes.set(i, k == ends.size() ? after(nodes.get(i), call) : inside(nodes.get(i), call, i >= contained));
            }
            begin = to;
        }
        return graph.withNodes(nodes);
    }

    private Node inside(Node node, Node.ModuleCall call, boolean container) {
        List<Node.ModuleCall> before = node.moduleStack();
        if (before.size() < depth) {
            return node;
        }
        List<Node.ModuleCall> stack = new ArrayList<>(before.subList(0, depth));
        // The last entry names the module that an operator counts for.
        stack.add(new Node.ModuleCall(
                call.call(), depth == 0 ? "" : before.get(depth - 1).path(), ""));
        int rest = container ? depth + 1 : depth;
        if (rest < before.size()) {
            stack.addAll(before.subList(rest, before.size()));
        }
        return with(node, stack);
    }

    /** The tail is a function of its own in place of the rest of the parent's. */
    private Node after(Node node, Node.ModuleCall call) {
        List<Node.ModuleCall> stack = new ArrayList<>(node.moduleStack());
        if (depth == 0 || stack.size() < depth) {
            return node;
        }
        stack.set(
                depth - 1, new Node.ModuleCall(call.call(), stack.get(depth - 1).path(), ""));
        return with(node, stack);
    }

    private static Node with(Node node, List<Node.ModuleCall> stack) {
        return node.withModuleStack(stack);
    }
}
