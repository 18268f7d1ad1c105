package dev.headroom.estimator.compile;

import dev.headroom.estimator.compile.lower.Compiler;
import dev.headroom.estimator.compile.partition.Partition;
import dev.headroom.estimator.compile.partition.Program;
import dev.headroom.estimator.compile.rule.CallTypes;
import dev.headroom.estimator.compile.rule.GraphTracer;
import dev.headroom.estimator.compile.rule.Rules;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.compiled.CompiledGraph;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Kernels.CompileMode;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compiles an archive's graph: one call of generated code stands for all calls of a graph that Dynamo finds. */
public final class Compilation {
    /** Compute capability that plans and recordings are of, where no card is named. */
    private static final int MAJOR = 9;

    private final Graph graph;
    private final Scenario run;
    private final Map<String, Long> symbols;
    private final boolean trains;
    private final Function<Graph, @Nullable CallTypes> types;
    private final Map<String, TensorMeta> values;
    private final Map<String, Boolean> trained = new HashMap<>();
    private final Map<String, Graph.Input> inputs = new LinkedHashMap<>();
    private final Map<String, Integer> unknown = new TreeMap<>();
    private final Set<String> returned = new LinkedHashSet<>();

    /** Names of what a graph only hands on, by the names that it was given under. */
    private final Map<String, String> handedOn = new HashMap<>();

    /** Code that was generated before serves calls that need the same. */
    private final Map<CompiledGraph, CompiledGraph> known = new HashMap<>();

    /** Numbers of the checkpoints that nodes are in. */
    private final IdentityHashMap<Node, Integer> regions = new IdentityHashMap<>();

    private Compilation(
            Graph graph, Scenario run, Map<String, Long> symbols, Function<Graph, @Nullable CallTypes> types) {
        this.types = types;
        this.graph = graph;
        this.run = run;
        this.symbols = symbols;
        this.trains = !run.loop().inference();
        this.values = new HashMap<>(graph.values());
        graph.inputs().forEach(i -> inputs.put(i.value(), i));
        // Around blocks that are compiled one by one, checkpoints are the run's.
        List<Region> checkpoints = run.kernels().compileRegions()
                ? List.of()
                : CheckpointPlan.of(graph, run).regions();
        for (int r = 0; r < checkpoints.size(); r++) {
            for (Node node : graph.nodes()
                    .subList(checkpoints.get(r).from(), checkpoints.get(r).to())) {
                regions.put(node, r + 1);
            }
        }
        for (Graph.Output o : graph.outputs()) {
            String value = o.value();
            if (o.kind() != Graph.OutputKind.MUTATION && value != null) {
                returned.add(value);
            }
        }
    }

    /**
     * The graph, compiled where the run asks for it.
     *
     * @param symbols a value for each of the graph's
     * @param types what calls of a graph mean by types, {@code null} where all are the archive's
     * @throws UserInputException for what cannot be combined with compiling yet
     */
    public static Graph of(
            Graph graph, Scenario run, Map<String, Long> symbols, Function<Graph, @Nullable CallTypes> types) {
        Refusals.check(graph, run);
        if (!run.kernels().compile()) {
            return graph;
        }
        return new Compilation(graph, run, symbols, types).compiled();
    }

    private Graph compiled() {
        List<Parts> parts = run.kernels().compileRegions() ? Parts.blocks(graph) : Parts.whole(graph);
        List<Node> calls = new ArrayList<>();
        for (int p = 0; p < parts.size(); p++) {
            List<Node> nodes = parts.get(p).nodes();
            if (parts.get(p).compiled()) {
                calls.add(call(p, nodes, Parts.readFrom(parts, p + 1)));
            } else {
                nodes.forEach(this::follow);
                calls.addAll(nodes);
            }
        }
        if (run.kernels().compileDynamic() && parts.size() > 1 && !run.kernels().compileRegions()) {
            calls.add(withTraced(calls.remove(calls.size() - 1), calls.get(calls.size() - 1)));
        }
        List<Graph.Output> outputs = graph.outputs().stream()
                .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                .map(o -> new Graph.Output(
                        o.kind(), o.value() == null ? null : handedOn.getOrDefault(o.value(), o.value()), o.target()))
                .toList();
        List<String> notes = new ArrayList<>(graph.held().notes());
        notes.add("torch.compile is estimated from the archive: what is kept, fused and copied follows PyTorch's rules,"
                + " and a plan (`export_help_compile`) knows what was");
        if (run.torch().compareTo(TorchVersion.NEWEST) < 0) {
            notes.add("it is compiled as PyTorch " + TorchVersion.NEWEST + " does: " + run.torch()
                    + " may fuse and keep other values, which a plan of it knows");
        }
        unknown.forEach((operator, count) -> notes.add("no decomposition is known for " + operator + " (" + count
                + (count == 1 ? " call" : " calls") + "): it is taken for an eager kernel"));
        ModelState held = new ModelState(graph.held().modules(), graph.held().tensors(), notes);
        return graph.withNodes(calls).withOutputs(outputs).withValues(values).withHeld(held);
    }

    private DType type(DType imported, boolean ofModel) {
        DType asked = run.precision().dtype();
        return asked != null && imported.isFloatingPoint() && ofModel ? asked : imported;
    }

    /** With symbolic sizes what the library's loss was given stays, in its first call for good (PlanModel, scores). */
    private static Node withTraced(Node loss, Node before) {
        List<Node.NamedArgument> arguments = new ArrayList<>(loss.arguments());
        List<@Nullable String> scores = before.outputs().subList(0, 1);
        arguments.add(new Node.NamedArgument("traced", new Argument.Values(scores)));
        return loss.withArguments(List.copyOf(arguments));
    }

    /** Notes what an operator makes that runs as it is. */
    private void follow(Node node) {
        boolean trains = false;
        for (String read : node.reads()) {
            TensorMeta meta = values.get(read);
            Graph.Input input = inputs.get(read);
            trains |= Boolean.TRUE.equals(trained.get(read))
                    || input != null && meta != null && gradient(read, input, meta);
        }
        DType amp = run.precision().amp();
        for (String made : node.outputs()) {
            TensorMeta meta = made == null ? null : values.get(made);
            if (made != null && meta != null) {
                boolean floats = meta.dtype().isFloatingPoint();
                DType archived = type(meta.dtype(), true);
                DType type = !floats || amp == null ? archived : EagerTypes.of(node, amp, archived, this::typeOf);
                values.put(
                        made,
                        new TensorMeta(type, meta.sizes(), meta.strides(), meta.storageOffset(), trains && floats));
                trained.put(made, trains && floats);
            }
        }
    }

    private @Nullable DType typeOf(String value) {
        TensorMeta meta = values.get(value);
        return meta == null ? null : type(meta.dtype(), inputs.containsKey(value));
    }

    private Node call(int number, List<Node> nodes, Set<String> later) {
        var gpu = run.device().gpu();
        Rules rules = new Rules(gpu == null ? MAJOR : gpu.major(), run.kernels().attention());
        GraphTracer tracer = new GraphTracer(symbols, run.precision().amp(), types, rules, regions);
        List<String> names = new ArrayList<>();
        Set<String> read = GraphBreaks.reads(nodes);
        returned.stream().filter(inputs::containsKey).forEach(read::add);
        List<Value> arguments = new ArrayList<>();
        // Arguments that are read come in the order of their first use.
        for (String name : read) {
            Graph.Input input = inputs.get(name);
            if (input == null && !trained.containsKey(name)) {
                continue;
            }
            TensorMeta meta = Objects.requireNonNull(values.get(name), name);
            boolean user = input == null || input.kind() == InputKind.USER;
            TensorMeta typed = new TensorMeta(
                    type(meta.dtype(), input != null), meta.sizes(), meta.strides(), meta.storageOffset(), false);
            names.add(name);
            arguments.add(tracer.argument(name, typed, !user, trains && gradient(name, input, meta)));
        }
        tracer.trace(graph, nodes);
        List<String> results = results(nodes, later).stream()
                .filter(r -> made(r, tracer, names, arguments))
                .toList();
        List<@Nullable Value> gradients = trains ? tracer.backward(results, names) : List.of();
        Program program = new Program(
                tracer.joint().nodes(), results.stream().map(tracer::value).toList(), gradients);
        @Nullable Double budget = run.kernels().compileBudget();
        Partition partition = Partition.of(program, budget == null ? 1 : budget);
        CompiledGraph.Facts facts = new CompiledGraph.Facts(
                run.precision().dtype(),
                run.precision().amp(),
                trains,
                false,
                run.kernels().compileMode() == CompileMode.REDUCE_OVERHEAD,
                run.kernels().compileDynamic());
        CompiledGraph made = Compiler.compile(partition, trains, run.kernels().channelsLast(), facts);
        CompiledGraph compiled = known.computeIfAbsent(made, k -> made);
        tracer.unknown().forEach((operator, count) -> unknown.merge(operator, count, Integer::sum));
        for (String result : results) {
            trained.put(result, tracer.requiresGrad(result));
            values.put(result, tracer.value(result).meta());
        }
        return new Node(
                "graph_" + number,
                CompiledGraph.OPERATOR,
                List.of(
                        new Node.NamedArgument("inputs", new Argument.Values(List.copyOf(names))),
                        new Node.NamedArgument("code", new Argument.Attached(compiled))),
                List.copyOf(results),
                around(nodes),
                "");
    }

    /** The modules that all calls of a part are in. */
    private static List<Node.ModuleCall> around(List<Node> nodes) {
        List<Node.ModuleCall> stack = nodes.get(0).moduleStack();
        int common = stack.size();
        for (Node node : nodes) {
            int same = 0;
            while (same < Math.min(common, node.moduleStack().size())
                    && node.moduleStack().get(same).equals(stack.get(same))) {
                same++;
            }
            common = same;
        }
        return common == 0 ? List.of(new Node.ModuleCall("model", "", "model")) : stack.subList(0, common);
    }

    /** Whether a graph makes a result; what it was given Python has already. */
    private boolean made(String result, GraphTracer tracer, List<String> names, List<Value> arguments) {
        int given = arguments.indexOf(tracer.value(result));
        if (given >= 0) {
            handedOn.put(result, names.get(given));
        }
        return given < 0;
    }

    private boolean gradient(String name, Graph.@Nullable Input input, TensorMeta meta) {
        if (input == null) {
            return Objects.requireNonNull(trained.get(name));
        }
        boolean image = input.kind() == InputKind.USER && meta.dtype().isFloatingPoint();
        return input.kind() == InputKind.PARAMETER
                ? meta.requiresGrad()
                : image && run.loop().inputGrad();
    }

    private List<String> results(List<Node> nodes, Set<String> later) {
        Set<String> out = new LinkedHashSet<>();
        List<String> made = GraphBreaks.makes(nodes);
        Set<String> here = new LinkedHashSet<>(made);
        returned.stream().filter(here::contains).forEach(out::add);
        later.stream().filter(here::contains).forEach(out::add);
        boolean breaks = !later.isEmpty() && !run.kernels().compileRegions();
        String hidden = breaks ? GraphBreaks.hiddenState(nodes) : null;
        if (hidden != null) {
            out.add(hidden);
        }
        return List.copyOf(out);
    }
}
