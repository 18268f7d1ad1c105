package dev.headroom.estimator.program;

import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A graph of a few calls, written out. In arguments, a text is a tensor's name. */
final class WrittenGraph {
    private final List<Graph.Input> inputs = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Graph.Output> outputs = new ArrayList<>();
    private final Map<String, TensorMeta> values = new LinkedHashMap<>();
    private List<Node.ModuleCall> modules = List.of();
    private String trace = "";

    WrittenGraph input(Graph.InputKind kind, String name, DType type, long... sizes) {
        inputs.add(new Graph.Input(kind, name, name, true));
        return value(name, type, sizes);
    }

    /** A call that runs in the module of this name. */
    WrittenGraph calledBy(String module, String target, String outputs, Object... named) {
        nodes.add(node(target, outputs, named).withModuleStack(List.of(new Node.ModuleCall(module, module, "Module"))));
        return this;
    }

    WrittenGraph value(String name, DType type, long... sizes) {
        values.put(name, TensorMeta.of(type, sizes));
        return this;
    }

    /** Calls from here on run in a module of this type. */
    WrittenGraph in(String type) {
        modules = List.of(new Node.ModuleCall("call", "module", type));
        return this;
    }

    /** The line of the calls from here on. */
    WrittenGraph line(String text) {
        trace = "File \"m.py\", line 1, in forward\n    " + text;
        return this;
    }

    /** @param named names and values by turns */
    WrittenGraph call(String target, String outputs, Object... named) {
        nodes.add(node(target, outputs, named).withModuleStack(modules).withStackTrace(trace));
        return this;
    }

    static Node node(String target, String outputs, Object... named) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (int i = 0; i < named.length; i += 2) {
            Object value = named[i + 1];
            arguments.add(new Node.NamedArgument(
                    (String) named[i], value instanceof String s ? new Argument.Value(s) : Arguments.of(value)));
        }
        List<@Nullable String> made = new ArrayList<>();
        for (String name : outputs.split(" ")) {
            made.add(name.equals("-") ? null : name);
        }
        return new Node(outputs, target, arguments, made, List.of(), "");
    }

    WrittenGraph returns(String... names) {
        Arrays.stream(names).forEach(n -> outputs.add(new Graph.Output(Graph.OutputKind.USER, n, "")));
        return this;
    }

    Graph graph() {
        return new Graph("written", inputs, nodes, outputs, values, Map.of(), Map.of(), List.of());
    }

    /** A call a line: what it makes, the operator and what it reads. */
    static String text(Graph graph) {
        return graph.nodes().stream()
                .map(n -> String.join(" ", n.outputs()) + " = " + n.operator().replace("aten.", "") + " "
                        + String.join(" ", n.reads()))
                .collect(Collectors.joining("\n"));
    }
}
