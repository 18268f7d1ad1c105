package dev.headroom.executor.program;

import dev.headroom.executor.op.Autocast;
import dev.headroom.graph.Argument;
import dev.headroom.graph.DType;
import dev.headroom.graph.Graph;
import dev.headroom.graph.Node;
import dev.headroom.graph.TensorMeta;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Conversions that did nothing when the model was exported, as it was all in one precision, but that do something in the
 * precision of a run. Two things are lost in the export and are read off the source lines here: whether the type was named
 * ({@code x.float()}) or taken from another tensor ({@code x.to(other.dtype)}), and which later uses were of the converted
 * tensor and which of its operand: as both were one object, the graph names the conversion's result for either.
 */
public final class Conversions {
    /** Views and selections, which hand their operand's type on. */
    private static final Set<String> KEEPING = Set.of(
            "aten.view",
            "aten.reshape",
            "aten.transpose",
            "aten.permute",
            "aten.contiguous",
            "aten.split",
            "aten.chunk",
            "aten.unbind",
            "aten.slice",
            "aten.dropout",
            "aten.repeat",
            "aten.expand");

    private static final Set<String> PRODUCTS = Set.of("aten.matmul", "aten.bmm", "aten.baddbmm");
    private static final Set<String> CREATIONS = Set.of(
            "aten.empty", "aten.zeros", "aten.ones", "aten.full", "aten.new_zeros", "aten.new_ones", "aten.new_full");

    private static final Set<String> FILLING = Set.of("aten.bernoulli_", "aten.div_", "aten.fill_", "aten.uniform_");
    private static final Set<String> LOSSES = Set.of("aten.cross_entropy_loss", "aten.nll_loss", "aten.nll_loss_nd");

    /** Which uses are of the converted tensor. */
    private record Conversion(String operand, Node node, Reach reach) {}

    private enum Reach {
        EVERYWHERE,
        /** In the running call of the module, whose variable was bound anew. */
        CALL,
        /** In a function that the line calls. */
        STATEMENT
    }

    private final Graph graph;
    private final TrainingRun run;
    private final Map<String, Node> makers = new HashMap<>();
    private final Map<String, List<Node>> users = new HashMap<>();
    private final Map<String, Conversion> conversions = new HashMap<>();
    private final Map<String, String> same = new HashMap<>();
    private final Map<String, Boolean> lowered = new HashMap<>();

    private Conversions(Graph graph, TrainingRun run) {
        this.graph = graph;
        this.run = run;
        for (Node n : graph.nodes()) {
            n.outputs().forEach(o -> makers.put(o, n));
            n.reads().forEach(r -> users.computeIfAbsent(r, k -> new ArrayList<>())
                    .add(n));
        }
    }

    /** The graph as it runs in a run's precision; the graph itself when that is the precision of the export. */
    public static Graph inPrecision(Graph graph, TrainingRun run) {
        return run.dtype == null && run.amp == null ? graph : new Conversions(graph, run).rewritten();
    }

    private Graph rewritten() {
        List<Node> nodes = new ArrayList<>();
        for (Node n : graph.nodes()) {
            Node rewired = rewired(n);
            if (CREATIONS.contains(n.operator()) && asked(n) == DType.FLOAT32) {
                nodes.add(withType(rewired, typeOfFresh(n)));
                continue;
            }
            if (!didNothing(n)) {
                nodes.add(rewired);
                continue;
            }
            String result = n.outputs().get(0);
            String operand = rewired.reads().get(0);
            SourceLine line = line(n);
            DType type = typeInRun(n, line.text());
            if (type == null) {
                same.put(result, operand);
                continue;
            }
            conversions.put(result, new Conversion(operand, n, reach(line)));
            nodes.add(withType(rewired, type));
        }
        List<Graph.Output> outputs = new ArrayList<>();
        for (Graph.Output o : graph.outputs()) {
            String value = o.value() == null ? null : returned(o.value());
            outputs.add(new Graph.Output(o.kind(), value, o.target()));
        }
        return new Graph(
                graph.name(),
                graph.inputs(),
                nodes,
                outputs,
                graph.values(),
                graph.ints(),
                graph.symbols(),
                graph.state(),
                graph.held());
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

    private static DType asked(Node n) {
        for (Node.NamedArgument a : n.arguments()) {
            if (a.value() instanceof Argument.Type t) {
                return t.value();
            }
        }
        return null;
    }

    private static SourceLine line(Node n) {
        List<SourceLine> frames = SourceLine.frames(n.stackTrace());
        return frames.isEmpty() ? SourceLine.UNKNOWN : frames.get(frames.size() - 1);
    }

    private static boolean converts(String text) {
        return text.contains(".to(") || text.contains(".type(") || text.contains(".float(");
    }

    private static Reach reach(SourceLine line) {
        if (line.text().startsWith("return")) {
            return Reach.EVERYWHERE;
        }
        boolean binds = line.kind() == SourceLine.Kind.ASSIGNMENT && converts(line.text());
        return binds ? Reach.CALL : Reach.STATEMENT;
    }

    /** What it converts to in the run; {@code null}: nothing. */
    private DType typeInRun(Node n, String text) {
        if (text.contains("float32") || text.contains(".float(")) {
            return DType.FLOAT32;
        }
        if (!converts(text) && reaches(n, LOSSES) != null) {
            return DType.FLOAT32; // transformers/loss/loss_utils.py, ForCausalLMLoss: logits.float()
        }
        if (run.dtype != null) {
            return run.dtype;
        }
        // attn_weights.type(value.dtype), as attention is written in transformers: the type of the other factor
        Node product = reaches(n, PRODUCTS);
        boolean lowers = product != null
                && product.reads().stream().filter(r -> !comesFrom(r, n)).anyMatch(this::isLowered);
        return lowers ? run.amp : null;
    }

    /** The operator of a kind that the result goes to, through views at most. */
    private Node reaches(Node n, Set<String> kinds) {
        for (Node user : users.getOrDefault(n.outputs().get(0), List.of())) {
            if (kinds.contains(user.operator())) {
                return user;
            }
            Node further = KEEPING.contains(user.operator()) ? reaches(user, kinds) : null;
            if (further != null) {
                return further;
            }
        }
        return null;
    }

    private boolean comesFrom(String value, Node n) {
        Node maker = makers.get(value);
        return maker == n
                || maker != null
                        && KEEPING.contains(maker.operator())
                        && comesFrom(maker.reads().get(0), n);
    }

    /** Whether autocast has it in its type: by the operators that made it, back to those that autocast lowers. */
    private boolean isLowered(String value) {
        Boolean known = lowered.get(value);
        if (known == null) {
            known = lowers(makers.get(value));
            lowered.put(value, known);
        }
        return known;
    }

    private boolean lowers(Node maker) {

        if (maker == null || maker.reads().isEmpty() || Autocast.widens(maker.operator())) {
            return false;
        }
        if (Autocast.lowers(maker.operator())) {
            return true;
        }
        boolean first = KEEPING.contains(maker.operator()) || maker.operator().equals("aten.batch_norm");
        return first ? isLowered(maker.reads().get(0)) : maker.reads().stream().allMatch(this::isLowered);
    }

    /** The type of a fresh tensor, which was given as that of the tensor that it is combined with unless named. */
    private DType typeOfFresh(Node n) {
        if (line(n).text().contains("float32")) {
            return DType.FLOAT32;
        }
        if (run.dtype != null) {
            return run.dtype;
        }
        Node at = n;
        while (at != null) {
            String made = at.outputs().get(0);
            for (Node user : users.getOrDefault(made, List.of())) {
                if (user.operator().equals("aten.mul")
                        && user.reads().stream().filter(r -> !r.equals(made)).anyMatch(this::isLowered)) {
                    return run.amp;
                }
            }
            at = users.getOrDefault(made, List.of()).stream()
                    .filter(user -> FILLING.contains(user.operator()))
                    .findFirst()
                    .orElse(null);
        }
        return DType.FLOAT32;
    }

    private static Node withType(Node n, DType type) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (Node.NamedArgument a : n.arguments()) {
            boolean named = a.value() instanceof Argument.Type;
            arguments.add(named ? new Node.NamedArgument(a.name(), new Argument.Type(type)) : a);
        }
        return with(n, arguments);
    }

    private Node rewired(Node n) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (Node.NamedArgument a : n.arguments()) {
            Argument value = a.value();
            if (value instanceof Argument.Value v) {
                value = new Argument.Value(seen(v.name(), n));
            } else if (value instanceof Argument.Values vs) {
                List<String> names = new ArrayList<>();
                vs.names().forEach(name -> names.add(name == null ? null : seen(name, n)));
                value = new Argument.Values(names);
            }
            arguments.add(new Node.NamedArgument(a.name(), value));
        }
        return with(n, arguments);
    }

    private static Node with(Node n, List<Node.NamedArgument> arguments) {
        return new Node(n.name(), n.target(), arguments, n.outputs(), n.moduleStack(), n.stackTrace());
    }

    /** The value that a use of a name is of. */
    private String seen(String name, Node user) {
        String at = name;
        while (true) {
            if (same.containsKey(at)) {
                at = same.get(at);
                continue;
            }
            Conversion c = conversions.get(at);
            if (c == null || isWithin(c, user)) {
                return at;
            }
            at = c.operand();
        }
    }

    private String returned(String name) {
        String at = name;
        while (true) {
            if (same.containsKey(at)) {
                at = same.get(at);
                continue;
            }
            Conversion c = conversions.get(at);
            boolean converted = c == null
                    || c.reach() == Reach.EVERYWHERE
                    || c.reach() == Reach.CALL && c.node().moduleStack().size() <= 1;
            if (converted) {
                return at;
            }
            at = c.operand();
        }
    }

    private static boolean isWithin(Conversion c, Node user) {
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
        List<SourceLine> own = SourceLine.frames(c.node().stackTrace());
        List<SourceLine> its = SourceLine.frames(user.stackTrace());
        int last = own.size() - 1;
        return last >= 0 && its.size() > last && its.get(last).equals(own.get(last));
    }
}
