package dev.headroom.model.script;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Several graphs as one, for whoever asks what there is; each model is run by its own. */
public final class Composition {
    private Composition() {}

    /**
     * The graph of a model that is a module of something larger.
     *
     * @param name of the module; parameters and modules carry it in front, values keep their names
     * @param trained whether parameters keep requiring gradients
     */
    static Graph named(Graph graph, String name, boolean trained) {
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        graph.held().tensors().forEach((own, held) -> {
            ModelState.HeldTensor moved = held.as(held.value(), under(name, held.storage()));
            tensors.put(under(name, own), trained ? moved : moved.trained(false));
        });
        List<String> modules = new ArrayList<>(List.of(""));
        graph.held().modules().forEach(module -> modules.add(under(name, module)));
        ModelState held = new ModelState(
                modules,
                tensors,
                graph.held().notes(),
                graph.held().loaded(),
                graph.held().additions());
        return new Graph(
                name,
                graph.inputs().stream().map(in -> in(in, name)).toList(),
                graph.nodes().stream().map(n -> in(n, name)).toList(),
                graph.outputs(),
                graph.values(),
                graph.ints(),
                graph.symbols(),
                graph.state().stream().map(own -> under(name, own)).toList(),
                held);
    }

    private static String under(String module, String path) {
        return path.isEmpty() ? module : module + "." + path;
    }

    private static Graph.Input in(Graph.Input input, String module) {
        return input.kind() == Graph.InputKind.USER
                ? input
                : new Graph.Input(
                        input.kind(), input.value(), under(module, input.qualifiedName()), input.persistent());
    }

    private static Node in(Node n, String module) {
        List<Node.NamedArgument> arguments = n.arguments().stream()
                .map(a -> a.value() instanceof Argument.Subgraph s
                        ? new Node.NamedArgument(
                                a.name(),
                                new Argument.Subgraph(
                                        s.name(),
                                        s.graph()
                                                .withNodes(s.graph().nodes().stream()
                                                        .map(inner -> in(inner, module))
                                                        .toList())))
                        : a)
                .toList();
        List<Node.ModuleCall> stack = n.moduleStack().stream()
                .map(call -> new Node.ModuleCall(call.call(), under(module, call.path()), call.type()))
                .toList();
        return n.withArguments(arguments).withModuleStack(stack);
    }

    /**
     * All of them as one graph: its inputs are {@code MODEL.input}, its values and symbols carry the model's name.
     *
     * @param name of what they are together
     */
    static Graph together(String name, List<Script.Model> models) {
        List<Graph.Input> inputs = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        Map<String, Graph.SymbolRange> symbols = new LinkedHashMap<>();
        List<String> state = new ArrayList<>();
        List<String> modules = new ArrayList<>(List.of(""));
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        List<String> notes = new ArrayList<>();
        for (Script.Model m : models) {
            UnaryOperator<String> own = value -> value(m.name(), value);
            Graph g = m.graph();
            for (Graph.Input in : g.inputs()) {
                String qualified =
                        in.kind() == Graph.InputKind.USER ? m.name() + "." + in.qualifiedName() : in.qualifiedName();
                inputs.add(new Graph.Input(in.kind(), own.apply(in.value()), qualified, in.persistent()));
            }
            g.nodes().forEach(n -> nodes.add(renamed(n, m.name())));
            g.values().forEach((value, meta) -> values.put(own.apply(value), renamed(meta, own)));
            g.symbols().forEach((symbol, range) -> symbols.put(own.apply(symbol), range));
            state.addAll(g.state());
            g.held().modules().stream().skip(1).forEach(modules::add);
            g.held()
                    .tensors()
                    .forEach((path, held) -> tensors.put(
                            path, held.as(held.value() == null ? null : own.apply(held.value()), held.storage())));
            notes.addAll(g.held().notes());
        }
        return new Graph(
                name,
                inputs,
                nodes,
                List.of(),
                values,
                Map.of(),
                symbols,
                state,
                new ModelState(modules, tensors, notes));
    }

    /** The name that a model's value or symbol has among all models'. */
    public static String value(String model, String own) {
        return model + "/" + own;
    }

    private static TensorMeta renamed(TensorMeta meta, UnaryOperator<String> names) {
        List<SymExpr> sizes = meta.sizes().stream().map(s -> s.renamed(names)).toList();
        List<SymExpr> strides =
                meta.strides().stream().map(s -> s.renamed(names)).toList();
        return new TensorMeta(meta.dtype(), sizes, strides, meta.storageOffset().renamed(names), meta.requiresGrad());
    }

    private static Node renamed(Node n, String model) {
        List<Node.NamedArgument> arguments = n.arguments().stream()
                .map(a -> new Node.NamedArgument(a.name(), renamed(a.value(), model)))
                .toList();
        List<@Nullable String> outputs = new ArrayList<>();
        n.outputs().forEach(out -> outputs.add(out == null ? null : value(model, out)));
        return new Node(value(model, n.name()), n.target(), arguments, outputs, n.moduleStack(), n.stackTrace());
    }

    private static Argument renamed(Argument argument, String model) {
        UnaryOperator<String> own = name -> value(model, name);
        if (argument instanceof Argument.TypeOf t) {
            return new Argument.TypeOf(own.apply(t.value()));
        }
        if (argument instanceof Argument.Int i) {
            return new Argument.Int(i.value().renamed(own));
        }
        return argument instanceof Argument.Ints is
                ? new Argument.Ints(
                        is.values().stream().map(s -> s.renamed(own)).toList())
                : argument.reading(own);
    }
}
