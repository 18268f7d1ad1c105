package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.estimator.program.source.TracedNodes;
import dev.headroom.model.error.Unwanted;
import dev.headroom.model.generation.GivenCache;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.ObservedReleases;
import dev.headroom.model.memo.GraphMemo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * When Python drops each value of a graph. Where somebody looked on ({@link Node#released}), then. Else a value lives
 * until its last use; one that a module call was given as an argument lives until that call returns, because the
 * caller's and the callee's variables hold it, but for what a cache holds; one that a variable holds lives as long as
 * that ({@link PythonVariables}).
 */
public final class Lifetimes {
    private static final GraphMemo<Lifetimes> READ = new GraphMemo<>(Lifetimes::read);

    private final List<List<String>> releasedAfter;

    private Lifetimes(List<List<String>> releasedAfter) {
        this.releasedAfter = releasedAfter;
    }

    /** Names of the values that are dropped once a node has run. */
    public List<String> releasedAfter(int node) {
        return releasedAfter.get(node);
    }

    /** Of values that are dropped as soon as nothing reads them any more, whoever holds them. */
    public static Lifetimes ofUses(Graph graph) {
        List<Node> nodes = graph.nodes();
        Set<String> kept = new HashSet<>();
        graph.inputs().forEach(i -> kept.add(i.value()));
        graph.outputs().forEach(o -> kept.add(o.value()));
        List<List<String>> released = new ArrayList<>(Collections.nCopies(nodes.size(), List.of()));
        for (int i = nodes.size() - 1; i >= 0; i--) {
            List<String> last = new ArrayList<>(2);
            Consumer<String> drop = v -> {
                if (v != null && kept.add(v)) {
                    last.add(v);
                }
            };
            nodes.get(i).reads().forEach(drop);
            nodes.get(i).outputs().forEach(drop);
            released.set(i, last);
        }
        return new Lifetimes(released);
    }

    public static Lifetimes of(Graph graph) {
        return READ.of(graph);
    }

    private static Lifetimes read(Graph graph) {
        TracedNodes traced = TracedNodes.of(graph);
        List<Node> nodes = traced.nodes();
        int n = nodes.size();
        Set<String> kept = new HashSet<>();
        graph.inputs().forEach(i -> kept.add(i.value()));
        graph.outputs().forEach(o -> kept.add(o.value()));
        int[][] callEnd = callEnds(nodes);
        Map<String, Integer> producer = new HashMap<>();
        Map<String, Integer> last = new HashMap<>();
        Map<String, Integer> read = new HashMap<>();
        for (int i = 0; i < n; i++) {
            Node node = nodes.get(i);
            for (String used : node.reads()) {
                Integer made = producer.get(used);
                if (made != null) {
                    int until = GivenCache.gives(used) ? i : end(nodes, callEnd, made, i);
                    last.merge(used, until, Math::max);
                    read.put(used, i);
                }
            }
            for (String out : node.outputs()) {
                if (out != null) {
                    producer.put(out, i);
                    last.putIfAbsent(out, i);
                }
            }
        }
        ObservedReleases observed = ObservedReleases.of(graph);
        Map<String, Integer> seen = observed.at();
        PythonVariables variables = null;
        if (!seen.keySet().containsAll(producer.keySet())) {
            PythonVariables told = new PythonVariables(traced, callEnd, last, graph.values());
            variables = told;
            producer.forEach((value, made) -> {
                Unwanted.check();
                int output = nodes.get(made).outputs().indexOf(value);
                int until = told.heldUntil(made, output, Objects.requireNonNull(last.get(value), value));
                int lastRead = Objects.requireNonNullElse(read.get(value), until);
                if (until == last.get(value) && until > lastRead) {
                    told.given(value, made, outside(nodes, callEnd, made, lastRead));
                }
                last.put(value, GivenCache.keeps(value) ? n - 1 : until);
            });
        }
        last.replaceAll((value, until) ->
                seen.getOrDefault(value, Math.min(until, observed.latest().getOrDefault(value, until))));
        List<List<String>> released = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            released.add(new ArrayList<>(2));
        }
        // In the order in which Python lets go: arguments from the first on, then results that nothing used, of which
        // the tuple that held them gives up the last first.
        for (int i = n - 1; i >= 0; i--) {
            for (String v : nodes.get(i).outputs()) {
                if (v != null && !kept.contains(v)) {
                    released.get(Objects.requireNonNull(last.get(v), v)).add(0, v);
                }
            }
        }
        for (int i = 0; i < n; i++) {
            Node node = nodes.get(i);
            inOrder(
                    released.get(i),
                    node.released().isEmpty()
                            ? given(node, traced.frames().ofModules().get(i))
                            : node.released());
            if (variables != null && node.released().isEmpty()) {
                variables.inOrder(released.get(i));
            }
        }
        return new Lifetimes(released);
    }

    /**
     * What a node reads, as Python drops it behind the call: arguments from the first on; of a list or tuple the last
     * item first (CPython's listobject.c, list_dealloc, and tupleobject.c, tuple_dealloc). Where no line is known, its
     * items may have names of their own.
     */
    private static List<String> given(Node node, List<PythonFrame> lines) {
        if (lines.isEmpty()) {
            return node.reads();
        }
        List<String> out = new ArrayList<>();
        for (Node.NamedArgument a : node.arguments()) {
            if (a.value() instanceof Argument.Value v) {
                out.add(v.name());
            } else if (a.value() instanceof Argument.Values items) {
                for (int i = items.names().size() - 1; i >= 0; i--) {
                    out.add(items.names().get(i));
                }
            }
        }
        return out;
    }

    private static void inOrder(List<String> values, List<String> order) {
        if (values.size() > 1) {
            values.sort((a, b) -> Integer.compare(place(order, a), place(order, b)));
        }
    }

    private static int place(List<String> order, String value) {
        int at = order.indexOf(value);
        return at < 0 ? Integer.MAX_VALUE : at;
    }

    /** Last node of the outermost module call that a use lies in and the making does not. */
    private static int end(List<Node> nodes, int[][] callEnd, int made, int used) {
        int depth = outside(nodes, callEnd, made, used);
        return depth < nodes.get(used).moduleStack().size() ? callEnd[used][depth] : used;
    }

    /** Depth of the outermost call that a use lies in and the making does not; the use's own depth for none. */
    private static int outside(List<Node> nodes, int[][] callEnd, int made, int used) {
        List<Node.ModuleCall> from = nodes.get(made).moduleStack();
        List<Node.ModuleCall> to = nodes.get(used).moduleStack();
        for (int d = 0; d < to.size(); d++) {
            boolean same = d < from.size()
                    && from.get(d).call().equals(to.get(d).call())
                    && callEnd[made][d] == callEnd[used][d];
            if (!same) {
                return d;
            }
        }
        return to.size();
    }

    /** Whether two nodes run in the same call at a depth, of which these are the {@link #callEnds}. */
    static boolean sameCall(int[][] callEnd, int a, int b, int depth) {
        return callEnd[a].length > depth && callEnd[a][depth] == callEnd[b][depth];
    }

    /** By node and depth of its module stack: the last node of that call. */
    public static int[][] callEnds(List<Node> nodes) {
        int[][] ends = new int[nodes.size()][];
        for (int i = nodes.size() - 1; i >= 0; i--) {
            List<Node.ModuleCall> stack = nodes.get(i).moduleStack();
            List<Node.ModuleCall> next = i + 1 < nodes.size() ? nodes.get(i + 1).moduleStack() : List.of();
            ends[i] = new int[stack.size()];
            boolean same = true;
            for (int d = 0; d < stack.size(); d++) {
                same &= d < next.size()
                        && next.get(d).call().equals(stack.get(d).call());
                ends[i][d] = same ? ends[i + 1][d] : i;
            }
        }
        return ends;
    }
}
