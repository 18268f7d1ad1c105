package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Node.NamedArgument;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code graph} object of an exported program, subgraphs included. Integers that arguments name stay
 * {@link NamedInt}s: their table comes after the nodes.
 */
final class GraphReader {
    private final Json json;
    private final MetaReader metas;
    private final ArgumentReader arguments;
    private final NodeMetadata metadata = new NodeMetadata();

    GraphReader(Json json, MetaReader metas) {
        this.json = json;
        this.metas = metas;
        this.arguments = new ArgumentReader(json, this);
    }

    ArgumentReader arguments() {
        return arguments;
    }

    /** Reads a graph whose inputs and outputs are all the user's, as a subgraph's are. */
    Graph read(String name) throws IOException {
        List<Graph.Input> inputs = new ArrayList<>();
        List<Graph.Output> outputs = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        Map<String, SymExpr> ints = new LinkedHashMap<>();
        Set<String> onHost = new HashSet<>();
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "inputs" -> {
                    for (int list = json.array(); json.nextItem(list); ) {
                        addInputs(inputs, arguments.argument());
                    }
                }
                case "outputs" -> {
                    for (int list = json.array(); json.nextItem(list); ) {
                        addOutputs(outputs, arguments.argument());
                    }
                }
                case "nodes" -> {
                    for (int list = json.array(); json.nextItem(list); ) {
                        addNode(nodes);
                    }
                }
                case "tensor_values" -> {
                    for (int table = json.object(); json.nextField(table); ) {
                        String value = json.name();
                        define(values, value, metas.tensor());
                        if (metas.wasOnHost()) {
                            onHost.add(value);
                        }
                    }
                }
                case "sym_int_values" -> {
                    for (int table = json.object(); json.nextField(table); ) {
                        define(ints, json.name(), metas.size());
                    }
                }
                default -> {}
            }
        }
        List<Node> all = HostLiterals.named(nodes, onHost);
        return new Graph(name, inputs, all, outputs, values, ints, Map.of(), List.of());
    }

    private static <T> void define(Map<String, T> table, String name, T value) {
        if (table.put(name, value) != null) {
            throw new UserInputException("the value " + name + " is described twice");
        }
    }

    private static void addInputs(List<Graph.Input> inputs, Argument argument) {
        for (String name : tensors(argument)) {
            inputs.add(new Graph.Input(Graph.InputKind.USER, name, name == null ? "" : name, false));
        }
    }

    private static void addOutputs(List<Graph.Output> outputs, Argument argument) {
        for (String name : tensors(argument)) {
            outputs.add(new Graph.Output(Graph.OutputKind.USER, name, name == null ? "" : name));
        }
    }

    /** The tensors that a result or operand stands for; one {@code null} for anything else. */
    static List<@Nullable String> tensors(Argument argument) {
        if (argument instanceof Argument.Value value) {
            return List.of(value.name());
        }
        if (argument instanceof Argument.Values list) {
            return list.names();
        }
        List<@Nullable String> none = new ArrayList<>();
        none.add(null);
        return none;
    }

    private void addNode(List<Node> nodes) throws IOException {
        NodeFields fields = new NodeFields();
        for (int scope = json.object(); json.nextField(scope); ) {
            switch (json.name()) {
                case "target" -> fields.target = metadata.shared(NodeMetadata.target(json.string()));
                case "name" -> fields.name = json.isNull() ? null : json.string();
                case "inputs" -> {
                    for (int list = json.array(); json.nextItem(list); ) {
                        fields.inputs.add(named());
                    }
                }
                case "outputs" -> {
                    for (int list = json.array(); json.nextItem(list); ) {
                        addResults(fields, arguments.argument());
                    }
                }
                case "metadata" -> {
                    for (int table = json.object(); json.nextField(table); ) {
                        fields.metadata(json.name(), json);
                    }
                }
                default -> {}
            }
        }
        if (fields.target == null) {
            throw new UserInputException("a node without a target");
        }
        if (fields.computesIntegersOnly(fields.target)) {
            return;
        }
        nodes.add(new Node(
                fields.nodeName(nodes.size()),
                fields.target,
                List.copyOf(fields.inputs),
                Collections.unmodifiableList(fields.results),
                metadata.modules(fields.moduleStack),
                metadata.shared(fields.stackTrace),
                fields.seen()));
    }

    private static void addResults(NodeFields fields, Argument result) {
        boolean tensor = result instanceof Argument.Value || result instanceof Argument.Values;
        fields.onlyIntegers &= !tensor && !(result instanceof Argument.None);
        fields.results.addAll(tensors(result));
    }

    private NamedArgument named() throws IOException {
        String name = "";
        Argument value = null;
        for (int scope = json.object(); json.nextField(scope); ) {
            if (json.name().equals("name")) {
                name = json.isNull() ? "" : json.string();
            } else if (json.name().equals("arg")) {
                value = arguments.argument();
            }
        }
        if (value == null) {
            throw new UserInputException("an argument without a value");
        }
        return new NamedArgument(metadata.shared(name), value);
    }

    private static final class NodeFields {
        private @Nullable String name;
        private @Nullable String target;
        private final List<NamedArgument> inputs = new ArrayList<>();
        private final List<@Nullable String> results = new ArrayList<>();
        private boolean onlyIntegers = true;
        private String moduleStack = "";
        private String stackTrace = "";
        private List<String> released = List.of();
        private List<Node.Kept> kept = List.of();
        private boolean returns;
        private Node.@Nullable Checkpoint checkpoint;

        void metadata(String key, Json json) throws IOException {
            if (key.equals("nn_module_stack") && json.isString()) {
                moduleStack = json.string();
            } else if (key.equals("stack_trace") && json.isString()) {
                stackTrace = json.string();
            } else if (key.equals("released") && json.isString()) {
                released = List.of(json.string().split(","));
            } else if (key.equals("kept") && json.isString()) {
                kept = kept(json.string());
            } else if (key.equals("returns") && json.isString()) {
                returns = json.string().equals("true");
            } else if (key.equals("checkpoint") && json.isString()) {
                checkpoint = checkpoint(json.string());
            }
        }

        /** {@code value=buffer}, with commas between. */
        private static List<Node.Kept> kept(String text) {
            return Arrays.stream(text.split(","))
                    .map(one -> one.split("=", 2))
                    .map(one -> new Node.Kept(one[0], one.length > 1 ? one[1] : ""))
                    .toList();
        }

        /** {@code 3}, or {@code 3 reentrant}; of anything else nothing is known. */
        private static Node.@Nullable Checkpoint checkpoint(String text) {
            String[] words = text.split(" ", 2);
            boolean number = words[0].matches("[1-9]\\d{0,8}");
            return number ? new Node.Checkpoint(Integer.parseInt(words[0]), words.length > 1) : null;
        }

        Node.Seen seen() {
            boolean nothing = released.isEmpty() && kept.isEmpty() && !returns && checkpoint == null;
            return nothing ? Node.Seen.NOTHING : new Node.Seen(released, kept, returns, checkpoint);
        }

        /** Size arithmetic, which the table of integers holds already. */
        boolean computesIntegersOnly(String target) {
            return onlyIntegers && !results.isEmpty() && NodeMetadata.isSizeArithmetic(target);
        }

        /** Older schemas name no nodes: the first result's name is mostly FX's name for the node. */
        String nodeName(int index) {
            if (name != null) {
                return name;
            }
            return results.isEmpty() || results.get(0) == null ? target + "_" + index : results.get(0);
        }
    }
}
