package dev.headroom.executor.program;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.rewrite.InlinedRegions;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Conversions that did nothing when the model was exported, as it was all in one precision, but that do something in
 * the precision of a run. Two things are lost in the export and are read off the source lines here: whether the type
 * was named ({@code x.float()}) or taken from another tensor ({@code x.to(other.dtype)}), and which later uses were
 * of the converted tensor and which of its operand: as both were one object, the graph names the conversion's result
 * for either.
 */
public final class Conversions {
    private static final String CHECK = "aten._assert_tensor_metadata";

    private static final Set<String> CREATIONS = Set.of(
            "aten.empty",
            "aten.zeros",
            "aten.ones",
            "aten.full",
            "aten.rand",
            "aten.randn",
            "aten.arange",
            "aten.linspace",
            "aten.logspace",
            "aten.eye",
            "aten.new_zeros",
            "aten.new_ones",
            "aten.new_full",
            "aten.new_empty",
            "aten.zeros_like",
            "aten.ones_like",
            "aten.full_like",
            "aten.empty_like",
            "aten.rand_like",
            "aten.randn_like");

    private static final Argument OFF = new Argument.Bool(false);

    /** Which uses are of the converted tensor. */
    private record Conversion(String operand, Node node, int place, Reach reach) {}

    private enum Reach {
        EVERYWHERE,
        /** In the running call of the module, whose variable was bound anew. */
        CALL,
        /** In a function that the line calls. */
        STATEMENT
    }

    private final Graph graph;
    private final TypesInRun types;
    private final Map<String, Conversion> conversions = new HashMap<>();
    private final Map<String, String> same = new HashMap<>();

    /** The node that is rewritten. */
    private int current;

    /** Literals that a program keeps in host memory. */
    private final Set<String> onHost = new HashSet<>();

    private Conversions(Graph graph, Scenario run) {
        this.graph = graph;
        this.types = new TypesInRun(graph, run);
    }

    /** The graph as it runs in a run's precision; the graph itself when that is the precision of the export. */
    public static Graph inPrecision(Graph graph, Scenario run) {
        return run.precision().dtype() == null && run.precision().amp() == null
                ? graph
                : new Conversions(graph, run).rewritten();
    }

    private Graph rewritten() {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node n = graph.nodes().get(i);
            current = i;
            if (n.operator().equals(CHECK)) {
                continue; // the exporter's, of a type that is another in this run
            }
            Node rewired = rewired(n);
            noteHost(n);
            if (CREATIONS.contains(n.operator()) && asked(n) == DType.FLOAT32) {
                nodes.add(withType(rewired, types.ofFresh(i)));
                continue;
            }
            if (types.keepsOutOfAutocast(i)) {
                nodes.add(switching(
                        n, InlinedRegions.ENTER, List.of(new Node.NamedArgument(InlinedRegions.AUTOCAST, OFF))));
                nodes.add(rewired);
                nodes.add(switching(n, InlinedRegions.LEAVE, List.of()));
                continue;
            }
            if (!didNothing(n)) {
                boolean converts = n.operator().equals("aten.to") && asked(n) == DType.FLOAT32;
                Argument like = converts ? types.ofOtherKind(i) : null;
                nodes.add(like == null ? rewired : withType(rewired, like));
                continue;
            }
            String result = n.outputs().get(0);
            String operand = rewired.reads().get(0);
            SourceLine line = SourceLine.innermost(n);
            Argument type = types.ofConversion(i);
            if (type == null && n.goesToDevice() && onHost.contains(operand)) {
                nodes.add(rewired); // brings it to the device
                continue;
            }
            if (type == null) {
                same.put(result, operand);
                continue;
            }
            conversions.put(result, new Conversion(operand, n, i, reach(i, line)));
            nodes.add(withType(rewired, type));
        }
        List<Graph.Output> outputs = new ArrayList<>();
        for (Graph.Output o : graph.outputs()) {
            String value = o.value() == null ? null : returned(o.value());
            outputs.add(new Graph.Output(o.kind(), value, o.target()));
        }
        return graph.withNodes(nodes).withOutputs(outputs);
    }

    private void noteHost(Node n) {
        boolean lifted = n.operator().equals("aten.lift_fresh_copy") && n.goesToHost();
        boolean same = n.operator().equals("aten.detach_") && onHost.containsAll(n.reads());
        if (lifted || same) {
            onHost.addAll(n.outputs());
        }
    }

    /** A node at the place of another that switches autocast. */
    private static Node switching(Node n, String target, List<Node.NamedArgument> arguments) {
        return new Node(n.name() + "/" + target, target, arguments, List.of(), n.moduleStack(), n.stackTrace());
    }

    private boolean didNothing(Node n) {
        if (!n.operator().equals("aten.to")
                || n.outputs().size() != 1
                || n.reads().size() != 1) {
            return false;
        }
        TensorMeta meta = graph.values().get(n.reads().get(0));
        DType asked = asked(n);
        return meta != null && asked == DType.FLOAT32 && meta.dtype() == asked;
    }

    private static @Nullable DType asked(Node n) {
        for (Node.NamedArgument a : n.arguments()) {
            if (a.value() instanceof Argument.Type t) {
                return t.value();
            }
        }
        return null;
    }

    private Reach reach(int node, SourceLine line) {
        boolean bound = types.isBound(node);
        if (line.text().startsWith("return") && bound) {
            return Reach.EVERYWHERE;
        }
        boolean binds = line.kind() == SourceLine.Kind.ASSIGNMENT && bound;
        return binds ? Reach.CALL : Reach.STATEMENT;
    }

    private static Node withType(Node n, Argument type) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (Node.NamedArgument a : n.arguments()) {
            boolean named = a.value() instanceof Argument.Type;
            arguments.add(named ? new Node.NamedArgument(a.name(), type) : a);
        }
        return with(n, arguments);
    }

    private Node rewired(Node n) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (Node.NamedArgument a : n.arguments()) {
            boolean givesType = a.name().equals("other") && n.operator().equals("aten.type_as");
            arguments.add(new Node.NamedArgument(
                    a.name(), a.value().reading(v -> seen(givesType ? unconverted(v, n) : v, n))));
        }
        return with(n, arguments);
    }

    private static Node with(Node n, List<Node.NamedArgument> arguments) {
        return n.withArguments(arguments);
    }

    /** What gives its type in a statement that converted it before, as in {@code x.float().exp().type_as(x)}. */
    private String unconverted(String name, Node user) {
        String at = name;
        for (Conversion c = conversions.get(at); c != null && isOnLineOf(c, user); c = conversions.get(at)) {
            at = c.operand();
        }
        return at;
    }

    /** The value that a use of a name is of. */
    private String seen(String name, Node user) {
        return lastKept(name, c -> isWithin(c, user));
    }

    private String returned(String name) {
        return lastKept(
                name,
                c -> c.reach() == Reach.EVERYWHERE
                        || c.reach() == Reach.CALL && c.node().moduleStack().size() <= 1);
    }

    /** A name's value, or the operand of a conversion of it that does not reach so far. */
    private String lastKept(String name, Predicate<Conversion> reaches) {
        String at = name;
        while (true) {
            if (same.containsKey(at)) {
                at = same.get(at);
                continue;
            }
            Conversion c = conversions.get(at);
            if (c == null || reaches.test(c)) {
                return at;
            }
            at = c.operand();
        }
    }

    private boolean isWithin(Conversion c, Node user) {
        if (c.reach() == Reach.EVERYWHERE) {
            return true;
        }
        List<Node.ModuleCall> calls = c.node().moduleStack();
        int depth = calls.size();
        if (user.moduleStack().size() < depth
                || depth > 0
                        && !user.moduleStack()
                                .get(depth - 1)
                                .call()
                                .equals(calls.get(depth - 1).call())) {
            return false;
        }
        if (c.reach() == Reach.CALL) {
            return true;
        }
        return isOnLineOf(c, user) && !isNextTurn(c, user);
    }

    /**
     * Whether a conversion is that of the line's next turn in a loop: {@code v.to(a.dtype)} converts the same {@code v}
     * again, which the tracer calls by the name of what the turn before made.
     */
    private boolean isNextTurn(Conversion c, Node user) {
        boolean converts = user.operator().equals("aten.to")
                && user.stackTrace().equals(c.node().stackTrace());
        for (int i = c.place() + 1; converts && i < current; i++) {
            if (!isOnLineOf(c, graph.nodes().get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOnLineOf(Conversion c, Node user) {
        List<SourceLine> own = SourceLine.frames(c.node().stackTrace());
        List<SourceLine> its = SourceLine.frames(user.stackTrace());
        int last = own.size() - 1;
        return last >= 0 && its.size() > last && its.get(last).equals(own.get(last));
    }
}
