package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The model that a plan was made of: one node a compiled graph. A plan does not say which arguments are parameters, and
 * what Python hands from one graph to the next; both follow from shapes and gradients.
 */
final class PlanModel {
    private final String name;
    private final List<CompiledGraph> compiled;
    private final Map<?, ?> config;
    private final @Nullable Long batch;
    private final List<Graph.Input> inputs = new ArrayList<>();
    private final Map<String, TensorMeta> values = new LinkedHashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<List<@Nullable String>> made = new ArrayList<>();

    /** Values of weights by those of their biases. */
    private final Map<String, String> weights = new HashMap<>();

    /** @param batch that the graphs run with; {@code null} where the plan does not say it */
    PlanModel(String name, Map<?, ?> config, List<CompiledGraph> compiled, @Nullable Long batch) {
        this.name = name;
        this.config = config;
        this.compiled = compiled;
        this.batch = batch;
        requireWholeModel();
    }

    /** The model of a plan that does not say what runs around its graphs. */
    static Graph read(String name, Map<String, @Nullable Object> file) {
        Map<?, ?> config = file.get("config") == null ? Map.of() : PlanJson.object(file.get("config"), "config");
        PlanGraphs graphs = new PlanGraphs(file);
        return config.get("batches") instanceof String batches
                ? PlanPasses.ofBatches(name, config, batches, graphs)
                : new PlanModel(name, config, graphs.all(), config.get("batch") instanceof Long b ? b : null).graph();
    }

    private void requireWholeModel() {
        if ("blocks".equals(config.get("scope"))) {
            throw new UserInputException("it is the plan of blocks that are compiled one by one; it does not say what"
                    + " runs around them; write it with the module of `export_help_compile`, which does");
        }
    }

    Graph graph() {
        for (int g = 0; g < compiled.size(); g++) {
            add(g, compiled.get(g));
        }
        requireStart();
        List<Graph.Input> ordered = RegistrationOrder.of(inputs, values, weights);
        Graph graph = new Graph(
                name, List.copyOf(ordered), List.copyOf(nodes), outputs(), values, Map.of(), Map.of(), state());
        return graph.withHeld(
                new ModelState(graph.held().modules(), graph.held().tensors(), notes()));
    }

    /** Where the graph breaks before anything was compiled, the first graph starts from activations. */
    private void requireStart() {
        if (batch != null && inputs.stream().noneMatch(i -> i.kind() == InputKind.USER)) {
            throw new UserInputException("no graph in it takes the batch: what runs before its first graph was not"
                    + " compiled (a graph break), and the plan does not hold it; write it with the module of"
                    + " `export_help_compile`, or compile the model in one graph");
        }
    }

    private List<String> notes() {
        return compiled.size() == 1
                ? List.of()
                : List.of("the plan has " + compiled.size() + " graphs but not how often each is called and what Python"
                        + " does between them; each is played once, in order");
    }

    private List<String> state() {
        return inputs.stream()
                .filter(i -> i.kind() != InputKind.USER)
                .map(Graph.Input::qualifiedName)
                .toList();
    }

    private void add(int number, CompiledGraph graph) {
        List<String> names = graph.forward().arguments();
        List<@Nullable String> arguments = new ArrayList<>();
        int taken = 0;
        for (int i = 0; i < names.size(); i++) {
            TensorMeta meta = graph.forward().inputs().get(names.get(i));
            arguments.add(meta == null ? null : argument(number, graph, i, taken++, meta));
        }
        graph.weights().forEach((bias, weight) -> {
            String ofBias = arguments.get(bias);
            String ofWeight = arguments.get(weight);
            if (ofBias != null && ofWeight != null) {
                weights.put(ofBias, ofWeight);
            }
        });
        List<@Nullable String> results = new ArrayList<>();
        for (int i = 0; i < graph.results().size(); i++) {
            TensorMeta meta = graph.results().get(i);
            String value = meta == null ? null : "result_" + number + "_" + i;
            if (meta != null && value != null) {
                values.put(value, meta);
            }
            results.add(value);
        }
        made.add(results);
        List<Node.NamedArgument> given = new ArrayList<>();
        given.add(new Node.NamedArgument("inputs", new Argument.Values(arguments)));
        given.add(new Node.NamedArgument("code", new Argument.Attached(graph)));
        if (number == compiled.size() - 1 && graph.facts().symbolic() && returnsOnlyLoss()) {
            given.add(new Node.NamedArgument("traced", new Argument.Values(scores())));
        }
        nodes.add(new Node(
                "graph_" + number,
                CompiledGraph.OPERATOR,
                List.copyOf(given),
                results,
                List.of(new Node.ModuleCall("model", "", "model")),
                ""));
    }

    /**
     * The value that stands behind an argument: what an earlier graph returned, or an input of the model.
     *
     * @param taken how many tensors come before it among the arguments
     */
    private String argument(int graph, CompiledGraph of, int position, int taken, TensorMeta meta) {
        for (int g = graph - 1; g >= 0; g--) {
            for (String result : made.get(g)) {
                if (result != null && alike(Objects.requireNonNull(values.get(result)), meta)) {
                    return result;
                }
            }
        }
        boolean trained = position < of.gradients().size() && of.gradients().get(position) != null;
        InputKind kind = kind(meta, trained);
        // Symbolic sizes are arguments, too, but the model's tensors have the same names whether there are any or not.
        String value = "input_" + graph + "_" + taken;
        values.put(value, new TensorMeta(meta.dtype(), meta.sizes(), meta.strides(), meta.storageOffset(), trained));
        inputs.add(new Graph.Input(kind, value, value, kind != InputKind.USER));
        return value;
    }

    private static boolean alike(TensorMeta one, TensorMeta other) {
        return one.dtype() == other.dtype() && one.sizes().equals(other.sizes());
    }

    /**
     * Parameters are what gets a gradient, and what has the form of weights without one; buffers are vectors and
     * counters; the user gives what has the batch's size, and numbers of tokens.
     */
    private InputKind kind(TensorMeta meta, boolean trained) {
        int dims = meta.sizes().size();
        boolean batched = dims > 0 && batch != null && meta.sizes().get(0).evaluate(Map.of()) == batch;
        if (trained) {
            return batched && Boolean.TRUE.equals(config.get("input_grad")) ? InputKind.USER : InputKind.PARAMETER;
        }
        boolean floating = meta.dtype().isFloatingPoint();
        if (dims > 1 && (batched || meta.dtype() == DType.INT64)) {
            return InputKind.USER;
        }
        return dims > 1 && floating ? InputKind.PARAMETER : batched && !floating ? InputKind.USER : InputKind.BUFFER;
    }

    /**
     * What the model returns: all of the last graph; and where that is only the loss, the first result of the graph
     * before, as models of transformers return the scores beside the loss.
     */
    private List<Graph.Output> outputs() {
        List<Graph.Output> out = new ArrayList<>();
        made.get(made.size() - 1).forEach(v -> out.add(new Graph.Output(Graph.OutputKind.USER, v, "")));
        if (returnsOnlyLoss()) {
            scores().forEach(v -> out.add(new Graph.Output(Graph.OutputKind.USER, v, "")));
        }
        return List.copyOf(out);
    }

    private boolean returnsOnlyLoss() {
        List<@Nullable String> last = made.get(made.size() - 1);
        return last.size() == 1
                && last.get(0) != null
                && Objects.requireNonNull(values.get(last.get(0))).sizes().isEmpty();
    }

    /**
     * The first result of the graph before the loss. Python has it in the library's output object, which the frame of
     * the loss was given: with symbolic sizes what Dynamo knew while it traced that frame lives on, that object with it
     * (torch/_dynamo/side_effects.py).
     */
    private List<@Nullable String> scores() {
        return made.size() > 1 && !made.get(made.size() - 2).isEmpty()
                ? made.get(made.size() - 2).subList(0, 1)
                : List.of();
    }
}
