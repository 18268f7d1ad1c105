package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The model of a plan that says what ran: calls of compiled graphs and of operators around and between them, in their
 * order, up to the loss, and where each value ended.
 */
final class PlanProgram {
    private static final String CALL = "call";
    private static final String COMPILED = "compiled";
    private static final String END = "end";

    private static final String CHECKPOINT = "checkpoint";

    /** Modules that stand for calls of {@code torch.utils.checkpoint}, so that they are found as modules are. */
    static final String CHECKPOINTS = "checkpoints";

    private static final Node.ModuleCall MODEL = new Node.ModuleCall("model", "", "model");

    private final String name;
    private final PlanGraphs graphs;
    private final Map<?, ?> program;
    private final List<Graph.Input> inputs = new ArrayList<>();
    private final Map<String, TensorMeta> values = new LinkedHashMap<>();
    private final Set<String> made = new HashSet<>();
    private final List<Node> nodes = new ArrayList<>();
    private List<Node.ModuleCall> running = List.of(MODEL);
    private int checkpoints;

    /** By code and sizes, so that calls of the same code are calls of one graph. */
    private final Map<List<Object>, CompiledGraph> called = new HashMap<>();

    PlanProgram(String name, Object program, PlanGraphs graphs) {
        this.name = name;
        this.graphs = graphs;
        this.program = PlanJson.object(program, "program");
    }

    /** Which of the plans a program calls; none without a program. */
    static List<Long> called(@Nullable Object program) {
        List<Long> out = new ArrayList<>();
        if (program != null) {
            for (Object call : PlanJson.list(PlanJson.object(program, "program").get("calls"), "program.calls")) {
                if (call instanceof List<?> row
                        && row.size() > 1
                        && COMPILED.equals(row.get(0))
                        && row.get(1) instanceof Long plan) {
                    out.add(plan);
                }
            }
        }
        return out;
    }

    Graph graph() {
        for (Object row : PlanJson.list(program.get("inputs"), "program.inputs")) {
            input(PlanJson.list(row, "program.inputs"));
        }
        List<?> calls = PlanJson.list(program.get("calls"), "program.calls");
        for (int i = 0; i < calls.size(); i++) {
            String where = "program.calls[" + i + "]";
            node(PlanJson.list(calls.get(i), where), where);
        }
        List<Graph.Output> outputs = new ArrayList<>();
        for (Object row : PlanJson.list(program.get("outputs"), "program.outputs")) {
            outputs.add(output(PlanJson.list(row, "program.outputs"), "program.outputs[" + outputs.size() + "]"));
        }
        if (graphs.trains() && !outputs.isEmpty()) {
            bindResults(outputs.subList(1, outputs.size()));
        }
        List<String> state = inputs.stream()
                .filter(i -> i.kind() != InputKind.USER)
                .map(Graph.Input::qualifiedName)
                .toList();
        return new Graph(name, List.copyOf(inputs), List.copyOf(nodes), outputs, values, Map.of(), Map.of(), state);
    }

    /** {@code [value, kind, qualified name, whether it gets a gradient, tensor]}. */
    private void input(List<?> row) {
        String where = "program.inputs[" + inputs.size() + "]";
        String value = PlanJson.text(PlanJson.part(row, 0, where), where);
        InputKind kind =
                switch (PlanJson.text(PlanJson.part(row, 1, where), where)) {
                    case "parameter" -> InputKind.PARAMETER;
                    case "buffer" -> InputKind.BUFFER;
                    case "user" -> InputKind.USER;
                    default -> throw PlanJson.expected(where, "a parameter, a buffer or the user's");
                };
        String qualified = PlanJson.text(PlanJson.part(row, 2, where), where);
        TensorMeta meta = PlanJson.tensor(PlanJson.part(row, 4, where), Map.of(), where);
        boolean trained = Boolean.TRUE.equals(PlanJson.part(row, 3, where));
        made.add(value);
        values.put(value, new TensorMeta(meta.dtype(), meta.sizes(), meta.strides(), meta.storageOffset(), trained));
        inputs.add(new Graph.Input(kind, value, qualified.isEmpty() ? value : qualified, kind != InputKind.USER));
    }

    /**
     * What Python still holds besides the loss was bound to a name when the model returned, which lets go of what the
     * name held since the step before: behind the last compiled graph, or where an operator made it later.
     */
    private void bindResults(List<Graph.Output> results) {
        for (int i = 0; i < results.size(); i++) {
            String value = Objects.requireNonNull(results.get(i).value());
            int at = 0;
            for (int k = 0; k < nodes.size(); k++) {
                Node node = nodes.get(k);
                at = node.target().equals(CompiledGraph.OPERATOR)
                                || node.outputs().contains(value)
                        ? k + 1
                        : at;
            }
            List<Node.NamedArgument> given = List.of(
                    new Node.NamedArgument("name", new Argument.Text("result_" + i)),
                    new Node.NamedArgument("value", new Argument.Value(value)));
            nodes.add(at, new Node("result_" + i, VariableNodes.BIND, given, List.of(), List.of(MODEL), ""));
        }
        results.clear();
    }

    /** {@code [value, tensor]}. */
    private Graph.Output output(List<?> row, String where) {
        String value = PlanJson.text(PlanJson.part(row, 0, where), where);
        known(value, where);
        values.put(value, PlanJson.tensor(PlanJson.part(row, 1, where), Map.of(), where));
        return new Graph.Output(Graph.OutputKind.USER, value, "");
    }

    private void node(List<?> row, String where) {
        switch (PlanJson.text(PlanJson.part(row, 0, where), where)) {
            case CALL -> {
                List<Node.NamedArgument> arguments = new ArrayList<>();
                for (Object entry : PlanJson.list(PlanJson.part(row, 2, where), where)) {
                    List<?> pair = PlanJson.list(entry, where);
                    String argument = PlanJson.text(PlanJson.part(pair, 0, where), where);
                    Argument value = PlanArguments.read(PlanJson.part(pair, 1, where), v -> known(v, where), where);
                    arguments.add(new Node.NamedArgument(argument, value));
                }
                add(PlanJson.text(PlanJson.part(row, 1, where), where), arguments, results(row, where));
            }
            case COMPILED -> compiled(row, where);
            case END -> {
                String value = PlanJson.text(PlanJson.part(row, 1, where), where);
                known(value, where);
                add(VariableNodes.USE, List.of(new Node.NamedArgument("value", new Argument.Value(value))), List.of());
            }
            case CHECKPOINT -> checkpoint(PlanJson.text(PlanJson.part(row, 1, where), where), where);
            default -> throw PlanJson.expected(where, "a call, a compiled graph, a checkpoint or an end");
        }
    }

    private void checkpoint(String what, String where) {
        boolean begins = what.equals("begins");
        if (begins == running.size() > 1) {
            throw new UserInputException(where + ": a checkpoint " + what + (begins ? " in another" : " without one"));
        }
        String path = CHECKPOINTS + "." + checkpoints;
        running = begins ? List.of(MODEL, new Node.ModuleCall(path, path, CHECKPOINT)) : List.of(MODEL);
        checkpoints += begins ? 1 : 0;
    }

    /** {@code ["compiled", which of the plans, arguments, results, sizes]}. */
    private void compiled(List<?> row, String where) {
        int plan = PlanJson.count(PlanJson.part(row, 1, where), where);
        Map<String, Long> sizes = CodeReader.symbols(PlanJson.part(row, 4, where), where);
        CompiledGraph graph = called.computeIfAbsent(List.of(plan, sizes), k -> graphs.called(plan, sizes));
        List<@Nullable String> given = names(PlanJson.part(row, 2, where), where);
        if (given.size() != graph.forward().arguments().size()) {
            throw new UserInputException(where + " gives " + given.size() + " arguments to code that takes "
                    + graph.forward().arguments().size() + "; the file is damaged");
        }
        given.forEach(v -> known(v, where));
        add(
                CompiledGraph.OPERATOR,
                List.of(
                        new Node.NamedArgument("inputs", new Argument.Values(given)),
                        new Node.NamedArgument("code", new Argument.Attached(graph))),
                results(row, where));
    }

    private void add(String target, List<Node.NamedArgument> arguments, List<@Nullable String> results) {
        nodes.add(new Node("call_" + nodes.size(), target, List.copyOf(arguments), results, running, ""));
    }

    private List<@Nullable String> results(List<?> row, String where) {
        List<@Nullable String> out = names(PlanJson.part(row, 3, where), where);
        for (String value : out) {
            if (value != null && !made.add(value)) {
                throw new UserInputException(where + " makes " + value + " again; the file is damaged");
            }
        }
        return out;
    }

    private static List<@Nullable String> names(@Nullable Object value, String where) {
        List<@Nullable String> out = new ArrayList<>();
        PlanJson.list(value, where).forEach(v -> out.add(v == null ? null : PlanJson.text(v, where)));
        return out;
    }

    private @Nullable String known(@Nullable String value, String where) {
        if (value != null && !made.contains(value)) {
            throw new UserInputException(where + " reads " + value + ", which nothing made; the file is damaged");
        }
        return value;
    }
}
