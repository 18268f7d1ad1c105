package dev.headroom.executor.program;

import dev.headroom.executor.op.recurrent.RecurrentOperators;
import dev.headroom.model.graph.BodyCall;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.ObservedReleases;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * After which operator the eager program drops each value, as CPython counts references.
 *
 * <ul>
 *   <li>A temporary dies when the operator or the module call that it is an argument of has returned: {@code
 *       Module.__call__} keeps its arguments in its frame, whatever the callee does with its own names.
 *   <li>A value that is assigned to a name lives at least until the name is assigned again, when the new value is
 *       there, or until the call returns.
 *   <li>A value that is read after its name was assigned again is held by something else, a list or another name: it
 *       lives until the call returns, or until that name is assigned again as in {@code hs = torch.stack(hs)}.
 *   <li>What a call returns is its caller's from then on.
 * </ul>
 *
 * A value is a reference: in-place operators and others that return their argument give the same tensor another one,
 * and it lives as long as any. Inputs and outputs of the graph are never dropped.
 *
 * <p>Where somebody looked on while the program ran ({@link Node#released}), nothing is read off its lines.
 *
 * <p>Lines of source are known for functions called {@code forward} alone. What the others keep in their own variables
 * is said by {@link LibraryFunctions} for some; the rest count as one expression.
 */
public final class ValueLifetimes {
    private final List<List<String>> dying;

    private ValueLifetimes(List<List<String>> dying) {
        this.dying = dying;
    }

    /** Reads a graph, in time linear in its nodes. */
    public static ValueLifetimes of(Graph graph) {
        CallTree tree = CallTree.of(graph);
        Map<String, Local> locals = locals(graph);
        Map<Call, List<Local>> byOwner = new LinkedHashMap<>();
        for (Local v : locals.values()) {
            v.settle(tree);
            if (handsOver(graph.nodes().get(v.made))) {
                returned(tree, v);
            }
            Node maker = graph.nodes().get(v.made);
            v.leftOut = v.used == v.made
                    && maker.outputs().size() > 1
                    && v.producer().statement.line.takesPart();
            // Bodies stand for many lines and their nodes have none of their own: their results have names, too.
            if (v.readLater() && BodyCall.of(maker) != null) {
                v.kept = v.owner().last();
            }
        }
        SiblingCalls.settle(tree, locals);
        divisions(graph, locals);
        UnseenFunctions.keep(graph, tree, locals);
        LibraryFunctions.keep(graph, tree, locals);
        ReturnedValues.keep(graph, tree, locals);
        // A model built in Java has no exporter.
        boolean exported = locals.keySet().stream().anyMatch(graph.values()::containsKey);
        for (Local v : locals.values()) {
            // What the exporter did not see, such as a mask's check, is read at once and has no name.
            // Nor has what the tracer calls by another name: the program reads the tensor that was broadcast.
            if ((!exported || graph.values().containsKey(v.name)) && !v.isAlias(graph)) {
                byOwner.computeIfAbsent(v.owner(), c -> new ArrayList<>()).add(v);
            }
        }
        byOwner.forEach((call, values) -> Variables.bind(tree, call, values));
        List<List<String>> dying = new ArrayList<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            dying.add(new ArrayList<>(2));
        }
        ObservedReleases observed = ObservedReleases.of(graph);
        Map<String, Integer> seen = observed.at();
        seen.keySet().retainAll(locals.keySet());
        seen.forEach((value, node) -> dying.get(node).add(value));
        // Temporaries go as soon as they are used; variables wait for the end of the statement or the call.
        for (boolean temporary : new boolean[] {true, false}) {
            for (Local v : locals.values()) {
                if (v.isTemporary() == temporary && !seen.containsKey(v.name)) {
                    int death = Math.min(v.death(), observed.latest().getOrDefault(v.name, v.death()));
                    List<String> together = dying.get(death);
                    together.add(position(together, graph.nodes().get(v.made), v.name), v.name);
                }
            }
        }
        return new ValueLifetimes(dying);
    }

    /** Whether a module returns what a node makes beside its output: the last states, or the weights of attention. */
    private static boolean handsOver(Node n) {
        List<Node.ModuleCall> stack = n.moduleStack();
        String type = stack.isEmpty() ? "" : stack.get(stack.size() - 1).type();
        boolean recurrent = RecurrentOperators.LAYERS.containsKey(n.operator())
                || n.operator().equals("aten.lstm_cell");
        return recurrent && type.startsWith("torch.nn.modules.rnn.")
                || n.operator().equals("aten.mean") && type.endsWith("MultiheadAttention");
    }

    /** {@code number / x} is a function in Python that holds x until it returns (torch/_tensor.py, __rtruediv__). */
    private static void divisions(Graph graph, Map<String, Local> locals) {
        List<Node> nodes = graph.nodes();
        for (int i = 0; i + 1 < nodes.size(); i++) {
            Node n = nodes.get(i);
            Local divisor = n.reads().isEmpty() ? null : locals.get(n.reads().get(0));
            if (divisor != null
                    && n.operator().equals("aten.reciprocal")
                    && nodes.get(i + 1).operator().equals("aten.mul")
                    && nodes.get(i + 1).reads().equals(n.outputs())
                    && !SourceLine.innermost(n).text().contains("reciprocal")) {
                divisor.kept = Math.max(divisor.kept, i + 1);
            }
        }
    }

    /** The caller binds such results though it may never read them. */
    private static void returned(CallTree tree, Local v) {
        Call module = tree.callOf(v.made);
        Call.Site site = module.site;
        if (v.used == v.made && site != null) {
            boolean selects = site.step().statement.line.takesPart();
            v.settle(tree, selects ? module : site.parent());
            v.returned = !selects;
        }
    }

    /** An LSTM hands its last states and cells on as a tuple, which CPython empties from its end. */
    private static int position(List<String> together, Node made, String name) {
        boolean cells = made.operator().equals("aten.lstm") && made.outputs().indexOf(name) == 2;
        int states = cells ? together.indexOf(made.outputs().get(1)) : -1;
        return states < 0 ? together.size() : states;
    }

    /**
     * The values that are dropped between a node and the next: temporaries before variables, and in the order in
     * which they were made.
     *
     * @param node its position in the graph
     */
    public List<String> diesAfter(int node) {
        return dying.get(node);
    }

    private static Map<String, Local> locals(Graph graph) {
        Map<String, Local> out = new LinkedHashMap<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node n = graph.nodes().get(i);
            for (String r : n.reads()) {
                Local v = out.get(r);
                if (v != null) {
                    v.readers.add(i);
                    v.used = i;
                }
            }
            for (String o : n.outputs()) {
                if (o != null) {
                    out.put(o, new Local(o, i));
                }
            }
        }
        graph.outputs().forEach(o -> out.remove(o.value()));
        return out;
    }
}
