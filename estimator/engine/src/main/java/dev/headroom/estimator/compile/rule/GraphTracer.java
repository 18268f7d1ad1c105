package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Tape;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.estimator.op.core.AutocastPolicy;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Traces calls of an archive into a joint graph, forward as they come and backward after them. */
public final class GraphTracer {
    /** Nothing of these is left after tracing. */
    private static final Set<String> NOTHING = Set.of(
            "aten._assert_tensor_metadata",
            "aten.sym_size",
            "aten.sym_stride",
            "aten.sym_numel",
            "aten._assert_scalar",
            "aten._assert_async");

    private final Joint joint = new Joint();
    private final Tape tape = new Tape(joint);
    private final Ops ops = new Ops(joint, tape);
    private final Map<String, Traced> values = new HashMap<>();
    private final Map<String, Long> symbols;
    private final Map<String, Rule> rules;
    private final @Nullable DType amp;
    private final IdentityHashMap<Node, Integer> regions;
    private final Function<Graph, @Nullable CallTypes> types;

    /** Of the graph that is traced, and of bodies in it; none where all types are the archive's. */
    private final IdentityHashMap<Graph, @Nullable CallTypes> known = new IdentityHashMap<>();

    /** Operators without a rule, and how often they were called. */
    private final Map<String, Integer> unknown = new TreeMap<>();

    /**
     * A tracer.
     *
     * @param symbols a value for each of the graph's
     * @param amp what autocast lowers to; {@code null} for none
     * @param types what calls of a graph mean by types, {@code null} where all are the archive's
     * @param rules see {@link Rules}
     * @param regions numbers of the checkpoints that nodes are in, from 1 in the order in which they run
     */
    public GraphTracer(
            Map<String, Long> symbols,
            @Nullable DType amp,
            Function<Graph, @Nullable CallTypes> types,
            Rules rules,
            IdentityHashMap<Node, Integer> regions) {
        this.symbols = symbols;
        this.amp = amp;
        this.types = types;
        this.rules = rules.all();
        this.regions = regions;
    }

    /** Operators without a rule, and how often they were called. */
    public Map<String, Integer> unknown() {
        return unknown;
    }

    public Joint joint() {
        return joint;
    }

    /** Gives the graph an argument. */
    public Value argument(String name, TensorMeta meta, boolean stays, boolean trained) {
        long[] sizes = Site.known(meta.sizes(), symbols);
        long[] strides = Site.known(meta.strides(), symbols);
        Value v = joint.placeholder(stays ? Kind.PARAMETER : Kind.INPUT, name, meta.dtype(), sizes, strides);
        values.put(name, trained ? tape.leaf(v) : Traced.constant(v));
        known.clear();
        return v;
    }

    /**
     * The value of a name of the archive.
     *
     * @throws UserInputException when no operator before has made it
     */
    public Value value(String name) {
        Traced made = values.get(name);
        if (made == null) {
            throw new UserInputException(
                    "the model returns '" + name + "', which none of its operators makes; export it" + " again");
        }
        return made.value();
    }

    /** Whether something of the archive has been traced under this name. */
    public boolean knows(String name) {
        return values.containsKey(name);
    }

    public boolean requiresGrad(String name) {
        return Objects.requireNonNull(values.get(name), name).requiresGrad();
    }

    /**
     * Traces backward.
     *
     * @param results names of what the graph returns
     * @param arguments names of what it was given
     * @return gradients of the arguments
     */
    public List<@Nullable Value> backward(List<String> results, List<String> arguments) {
        Map<Traced, Value> tangents = new LinkedHashMap<>();
        for (String name : results) {
            Traced t = Objects.requireNonNull(values.get(name), name);
            if (t.requiresGrad()) {
                Value v = t.value();
                long[] strides = Shapes.preserved(v.sizes(), v.strides());
                tangents.put(t, joint.placeholder(Kind.TANGENT, "tangents_" + name, v.dtype(), v.sizes(), strides));
            }
        }
        return tape.backward(
                tangents,
                arguments.stream()
                        .map(a -> Objects.requireNonNull(values.get(a)))
                        .toList());
    }

    /** Traces calls of a graph. */
    public void trace(Graph graph, List<Node> nodes) {
        for (Node node : nodes) {
            joint.inRegion(regions.getOrDefault(node, 0));
            trace(graph, node);
        }
        joint.inRegion(0);
    }

    private void trace(Graph graph, Node node) {
        if (NOTHING.contains(node.operator()) || node.target().startsWith("_operator.")) {
            return;
        }
        if (body(node)) {
            return;
        }
        CallTypes run = types(graph);
        convertFactor(run, node);
        Site site = new Site(node, values, symbols);
        boolean lowers = amp != null && !(run != null && !tape.records() && run.keepsOutOfAutocast(node));
        if (run != null) {
            Traced self = site.tensorOrNull("self");
            site.naming(run.at(node, self == null ? null : self.value().dtype(), lowers ? amp : null));
        }
        if (amp != null && lowers) {
            autocast(site, amp);
        }
        Rule rule = rules.get(node.operator());
        Traced[] made;
        try {
            made = rule == null ? eager(graph, site) : rule.trace(ops, site);
        } catch (NoDecomposition e) {
            made = eager(graph, site);
        }
        for (int i = 0; i < made.length && i < node.outputs().size(); i++) {
            String name = node.outputs().get(i);
            if (name != null) {
                values.put(name, made[i]);
                note(run, name, made[i]);
            }
        }
        inPlace(node, made);
    }

    /** What types mean in a graph, where values are followed that it was given. */
    private @Nullable CallTypes types(Graph graph) {
        if (!known.containsKey(graph)) {
            CallTypes made = types.apply(graph);
            known.put(graph, made);
            for (Graph.Input input : graph.inputs()) {
                note(made, input.value(), values.get(input.value()));
            }
        }
        return known.get(graph);
    }

    private static void note(@Nullable CallTypes run, String name, @Nullable Traced value) {
        if (run != null && value != null) {
            run.note(name, value.value().dtype());
        }
    }

    /** Makes a conversion that the program makes only where its weights are in half precision. */
    private void convertFactor(@Nullable CallTypes run, Node node) {
        String name = run == null || amp != null ? null : run.converted(node);
        Traced before = name == null ? null : values.get(name);
        if (name != null && before != null && run != null && before.value().dtype() != run.run()) {
            values.put(name, ops.convert(before, run.run()));
        }
    }

    /** What a call changes has the new value from then on. */
    private void inPlace(Node node, Traced[] made) {
        String operator = node.operator();
        if (made.length == 1 && operator.endsWith("_") && !operator.endsWith("__")) {
            String self = node.tensor("self");
            String changed = self == null ? node.tensor("input") : self;
            if (changed != null) {
                values.put(changed, made[0]);
            }
        }
    }

    /** {@code wrap_with_set_grad_enabled} and {@code wrap_with_autocast}: their body in their place. */
    private boolean body(Node node) {
        for (int i = 0; i < node.arguments().size(); i++) {
            if (node.arguments().get(i).value() instanceof Argument.Subgraph body) {
                Graph inner = body.graph();
                List<Node.NamedArgument> given =
                        node.arguments().subList(i + 1, node.arguments().size());
                for (int k = 0; k < inner.inputs().size() && k < given.size(); k++) {
                    if (given.get(k).value() instanceof Argument.Value v) {
                        values.put(inner.inputs().get(k).value(), Objects.requireNonNull(values.get(v.name())));
                    }
                }
                CallTypes ofBody = types(inner);
                inner.inputs().forEach(in -> note(ofBody, in.value(), values.get(in.value())));
                boolean records = !node.target().endsWith("wrap_with_set_grad_enabled");
                boolean before = tape.record(records);
                inner.nodes().forEach(n -> trace(inner, n));
                tape.record(before);
                for (int k = 0; k < inner.outputs().size() && k < node.outputs().size(); k++) {
                    String from = inner.outputs().get(k).value();
                    String to = node.outputs().get(k);
                    if (from != null && to != null) {
                        values.put(to, Objects.requireNonNull(values.get(from)));
                    }
                }
                return true;
            }
        }
        return false;
    }

    private void autocast(Site site, DType lower) {
        AutocastPolicy policy = AutocastPolicy.of(site.node().target());
        if (policy == null) {
            return;
        }
        boolean widest = policy == AutocastPolicy.PROMOTE && anyWide(site);
        for (String argument : site.tensorArguments()) {
            Traced t = site.byName(argument);
            if (t == null || !t.value().dtype().isFloatingPoint() || t.value().dtype() == DType.FLOAT64) {
                continue;
            }
            switch (policy) {
                case LOWER -> site.replace(argument, ops.convert(t, lower));
                case FLOAT32, FLOAT32_TYPE -> site.replace(argument, ops.convert(t, DType.FLOAT32));
                case PROMOTE -> site.replace(argument, widest ? ops.convert(t, DType.FLOAT32) : t);
                default -> {}
            }
        }
    }

    private static boolean anyWide(Site site) {
        return site.tensorArguments().stream()
                .map(site::byName)
                .anyMatch(t -> t != null && t.value().dtype() == DType.FLOAT32);
    }

    /** A call of an eager kernel: reads and results in memory, all of which backward reads again. */
    private Traced[] eager(Graph graph, Site site) {
        Node node = site.node();
        unknown.merge(node.operator(), 1, Integer::sum);
        List<Traced> inputs = new ArrayList<>();
        for (String argument : site.tensorArguments()) {
            Traced t = site.byName(argument);
            if (t != null) {
                inputs.add(t);
            }
        }
        Value[] operands = inputs.stream().map(Traced::value).toArray(Value[]::new);
        List<Value> results = new ArrayList<>();
        Value call = operands.length == 0
                ? joint.make(Kind.LIBRARY, node.operator(), site.plain(), DType.FLOAT32, new long[0])
                : joint.tuple(Kind.LIBRARY, node.operator(), site.plain(), operands);
        for (String output : node.outputs()) {
            TensorMeta meta = output == null ? null : graph.values().get(output);
            DType type = meta == null ? DType.FLOAT32 : meta.dtype();
            long[] sizes = meta == null ? new long[0] : Site.known(meta.sizes(), symbols);
            results.add(joint.item(call, type, sizes));
        }
        Value[] made = results.toArray(Value[]::new);
        return tape.call(
                made,
                g -> {
                    List<Value> arguments = new ArrayList<>();
                    for (Value each : g) {
                        if (each != null) {
                            arguments.add(each);
                        }
                    }
                    arguments.addAll(List.of(operands));
                    Value back = joint.tuple(
                            Kind.LIBRARY, node.operator() + "_backward", "", arguments.toArray(Value[]::new));
                    @Nullable Value[] out = new Value[inputs.size()];
                    for (int i = 0; i < out.length; i++) {
                        if (inputs.get(i).requiresGrad()) {
                            out[i] = joint.item(back, operands[i].dtype(), operands[i].sizes());
                        }
                    }
                    return out;
                },
                inputs.toArray(Traced[]::new));
    }
}
