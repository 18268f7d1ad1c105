package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.Input;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.Graph.Output;
import dev.headroom.model.graph.Graph.OutputKind;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Node.NamedArgument;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.rewrite.InlinedRegions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts a {@code torch.autograd.Function} in the place of what an exporter traced of one: its forward pass runs without
 * autograd. What it keeps and what its backward pass computes is in no archive, so it is assumed what most do: it keeps
 * what it is given, unless it hands that on as it is, and makes each gradient from that. An estimate with such a
 * function is marked.
 */
public final class AssumedFunctions {
    private static final String TARGET = "higher_order.autograd_function";
    private static final String BACKWARD = "assumed_backward_of_";

    /** What a function computes nothing by: one of these alone changes its gradient, and needs nothing for that. */
    private static final Set<String> HANDING_ON =
            Set.of("aten.alias", "aten.clone", "aten.detach", "aten.expand_as", "aten.to", "aten.view", "aten.view_as");

    private static final GraphMemo<Graph> PUT = new GraphMemo<>(AssumedFunctions::read);

    private final Graph graph;
    private final Map<String, TensorMeta> values;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> lastReads = new HashMap<>();

    private AssumedFunctions(Graph graph) {
        this.graph = graph;
        this.values = new HashMap<>(graph.values());
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String read : graph.nodes().get(i).reads()) {
                lastReads.put(read, i);
            }
        }
        for (Output output : graph.outputs()) {
            if (output.value() != null) {
                lastReads.put(output.value(), graph.nodes().size());
            }
        }
    }

    /** Whether a node is such a function. */
    static boolean isOne(Node node) {
        return CustomFunctionNode.isOne(node)
                && node.arguments().get(1).value() instanceof Argument.Subgraph backward
                && backward.name().startsWith(BACKWARD);
    }

    /** The graph itself where it has none. */
    public static Graph put(Graph graph) {
        return CustomFunctions.traced(graph).isEmpty() ? graph : PUT.of(graph);
    }

    private static Graph read(Graph graph) {
        AssumedFunctions all = new AssumedFunctions(graph);
        int at = 0;
        for (CustomFunctions.Traced call : CustomFunctions.traced(graph)) {
            all.nodes.addAll(graph.nodes().subList(at, call.from()));
            List<Node> body = graph.nodes().subList(call.from(), call.to());
            Node function = all.function(call, body);
            all.nodes.addAll(function == null ? body : List.of(function));
            at = call.to();
        }
        all.nodes.addAll(graph.nodes().subList(at, graph.nodes().size()));
        return graph.withNodes(all.nodes).withValues(all.values);
    }

    /** The call as one node; {@code null} for one that runs other graphs, or whose results nobody reads. */
    private @Nullable Node function(CustomFunctions.Traced call, List<Node> body) {
        Set<String> made = new LinkedHashSet<>();
        Set<String> given = new LinkedHashSet<>();
        for (Node n : body) {
            boolean runsGraph = n.arguments().stream().anyMatch(a -> a.value() instanceof Argument.Subgraph);
            if (runsGraph || InlinedRegions.isSwitch(n)) {
                return null;
            }
            n.reads().stream().filter(v -> !made.contains(v)).forEach(given::add);
            n.outputs().stream().filter(v -> v != null).forEach(made::add);
        }
        Set<String> results = new LinkedHashSet<>(made);
        results.removeIf(v -> lastReads.getOrDefault(v, -1) < call.to());
        if (results.isEmpty()) {
            return null;
        }
        Node first = body.get(0);
        List<String> inputs = List.copyOf(given);
        List<String> kept = body.stream().allMatch(n -> HANDING_ON.contains(n.operator())) ? List.of() : inputs;
        List<String> outputs = new ArrayList<>(results);
        outputs.addAll(kept);
        Graph forward = graph("forward", inputs, body, outputs);
        List<NamedArgument> arguments = new ArrayList<>();
        arguments.add(new NamedArgument("name", new Argument.Text(call.name())));
        arguments.add(
                new NamedArgument("backward", subgraph(BACKWARD + first.name(), backward(results, inputs, kept))));
        arguments.add(new NamedArgument("results", new Argument.Int(SymExpr.of(results.size()))));
        arguments.add(new NamedArgument("attributes", new Argument.Ints(List.of())));
        arguments.add(new NamedArgument("forward", subgraph("assumed_forward_of_" + first.name(), forward)));
        inputs.forEach(v -> arguments.add(new NamedArgument("input", new Argument.Value(v))));
        Node last = body.get(body.size() - 1);
        return new Node(
                first.name() + "/" + call.name(),
                TARGET,
                arguments,
                List.copyOf(results),
                first.moduleStack(),
                caller(first.stackTrace()),
                last.seen());
    }

    /** A gradient for each input that can have one, made from that, or from the results' where it is not kept. */
    private Graph backward(Set<String> results, List<String> inputs, List<String> kept) {
        List<String> given = new ArrayList<>();
        results.forEach(v -> given.add(copied(v, "gradient_of_")));
        String first = given.get(0);
        given.addAll(kept);
        List<Node> made = new ArrayList<>();
        List<@Nullable String> gradients = new ArrayList<>();
        for (String v : inputs) {
            TensorMeta meta = values.get(v);
            if (meta == null || !meta.dtype().isFloatingPoint()) {
                gradients.add(null);
                continue;
            }
            String gradient = copied(v, "gradient_for_");
            Argument.Value factor = new Argument.Value(kept.isEmpty() ? first : v);
            List<NamedArgument> factors =
                    List.of(new NamedArgument("self", factor), new NamedArgument("other", factor));
            made.add(new Node(gradient, "aten.mul.Tensor", factors, List.of(gradient), List.of(), ""));
            gradients.add(gradient);
        }
        return graph("backward", given, made, gradients);
    }

    private String copied(String value, String prefix) {
        TensorMeta meta = values.get(value);
        if (meta != null) {
            values.put(prefix + value, meta);
        }
        return prefix + value;
    }

    private Graph graph(String name, List<String> inputs, List<Node> body, List<? extends @Nullable String> outputs) {
        return new Graph(
                name,
                inputs.stream().map(v -> new Input(InputKind.USER, v, v, false)).toList(),
                List.copyOf(body),
                outputs.stream().map(v -> new Output(OutputKind.USER, v, "")).toList(),
                values,
                graph.ints(),
                graph.symbols(),
                List.of());
    }

    private static Argument.Subgraph subgraph(String name, Graph graph) {
        return new Argument.Subgraph(name, graph);
    }

    /** A trace up to the line that calls the function. */
    private static String caller(String trace) {
        int next = trace.indexOf("File \"", trace.indexOf(".apply("));
        return next < 0 ? trace : trace.substring(0, next);
    }
}
