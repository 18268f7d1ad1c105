package dev.headroom.model.dsl;

import dev.headroom.model.error.Unwanted;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The running program while a model is written: emits operators, keeps the stack of modules and their source lines. */
public final class Scope {
    private static final class Running {
        private final Layer module;
        private final Node.ModuleCall call;
        /** The frames of those that called it: their lines do not change while it runs. */
        private final String above;

        private String text = "";
        private int number;

        /** All frames down to the running line; {@code null} before somebody asks on this line. */
        private @Nullable String trace;

        private Running(Layer module, Node.ModuleCall call, @Nullable Running caller) {
            this.module = module;
            this.call = call;
            this.above = caller == null ? "" : caller.trace() + "\n";
        }

        private void goTo(String line) {
            text = line;
            number++;
            trace = null;
        }

        private String trace() {
            if (trace == null) {
                trace = above + "File \"" + module.type() + "\", line " + number + ", in forward\n    "
                        + (text.isEmpty() ? "return" : text);
            }
            return trace;
        }
    }

    /** Whose functions run where no module does. */
    private static final Layer SCRIPT = new Layer() {
        @Override
        protected Value forward(Scope scope, Value... inputs) {
            throw new IllegalStateException("a script is no module");
        }
    };

    private final ModelParts parts;
    private final boolean training;
    private final Map<Layer, Integer> calls = new HashMap<>();
    private final Deque<Running> stack = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();
    private final Map<String, TensorMeta> metas = new LinkedHashMap<>();
    private final Set<String> variables = new LinkedHashSet<>();
    private final Map<String, Value> given = new HashMap<>();
    private final Set<String> cached = new LinkedHashSet<>();
    private int functions;

    Scope(ModelParts parts, boolean training) {
        this.parts = parts;
        this.training = training;
    }

    /** {@code self.training}. */
    public boolean training() {
        return training;
    }

    List<Node> nodes() {
        return nodes;
    }

    Map<String, TensorMeta> metas() {
        return metas;
    }

    /** Runs a module. */
    public Value call(Layer module, Value... inputs) {
        return results(module, inputs)[0];
    }

    /** Runs a module that returns several values. */
    public Value[] results(Layer module, Value... inputs) {
        String path = parts.path(module);
        int n = calls.merge(module, 1, Integer::sum) - 1;
        Node.ModuleCall call = new Node.ModuleCall(n == 0 ? path : path + "@" + n, path, module.type());
        stack.addLast(new Running(module, call, stack.peekLast()));
        Value[] out = module.results(this, inputs);
        stack.removeLast();
        return out;
    }

    /**
     * Writes what a function does that the running line calls: its variables end with it.
     *
     * @param name for the record
     */
    public <T> T function(String name, Supplier<T> body) {
        Running caller = stack.peekLast();
        String call = (caller == null ? "" : caller.call.call()) + "/" + name + functions++;
        String path = caller == null ? "" : caller.call.path();
        Layer module = caller == null ? SCRIPT : caller.module;
        stack.addLast(new Running(module, new Node.ModuleCall(call, path, Node.ModuleCall.FUNCTION), caller));
        T out = body.get();
        stack.removeLast();
        return out;
    }

    /**
     * Says which line of Python the following operators stand for, so that variables live as long as there: {@code "out
     * = self.conv(x)"} binds the line's result to {@code out} until it is bound again or the module returns.
     */
    public void line(String text) {
        stack.getLast().goTo(text);
    }

    /** A parameter or buffer of the running module. */
    public Value parameter(String name) {
        return parts.value(stack.getLast().module, name);
    }

    /** A parameter or buffer of another module, which the running one reads without calling it. */
    public Value parameter(Layer module, String name) {
        return parts.value(module, name);
    }

    /**
     * Arguments of an operator in their order, as {@code Map.of} does not keep it.
     *
     * @param pairs name, value, name, value, …
     */
    public static Map<String, Object> arguments(Object... pairs) {
        Map<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            out.put((String) pairs[i], pairs[i + 1]);
        }
        return out;
    }

    /**
     * Emits an operator with one result.
     *
     * @param target with overload, such as {@code aten.relu.default}
     * @param arguments by the schema's names and in its order: {@link Value}, {@code Value[]}, numbers, {@code long[]},
     *     {@code double[]}, booleans, strings, {@link DType}
     */
    public Value op(String target, Map<String, Object> arguments) {
        return ops(target, 1, arguments)[0];
    }

    /** Emits an operator with one result; its arguments are name, value, name, value, … */
    public Value op(String target, Object... pairs) {
        return op(target, arguments(pairs));
    }

    /** Emits an operator with several results. */
    public Value[] ops(String target, int results, Map<String, Object> arguments) {
        Node node = node(target, results, arguments);
        nodes.add(node);
        return node.outputs().stream().map(Value::new).toArray(Value[]::new);
    }

    /** Says that a variable of the running function still holds a value, which nothing reads any more. */
    public void hold(Value value) {
        int n = names.merge("hold", 1, Integer::sum);
        nodes.add(new Node(
                "hold_" + n,
                "aten._assert_tensor_metadata.default",
                List.of(new Node.NamedArgument("a", Arguments.of(value))),
                List.of(),
                stack.stream().map(r -> r.call).toList(),
                trace()));
    }

    private Node node(String target, int results, Map<String, Object> arguments) {
        Unwanted.check();
        List<Node.NamedArgument> list = new ArrayList<>();
        arguments.forEach((name, value) -> list.add(new Node.NamedArgument(name, Arguments.of(value))));
        String base = target.split("\\.")[1];
        String[] out = new String[results];
        for (int i = 0; i < results; i++) {
            int n = names.merge(base, 1, Integer::sum) - 1;
            out[i] = n == 0 ? base : base + "_" + n;
        }
        return new Node(
                results == 0 ? base + "_" + nodes.size() : out[0],
                target,
                list,
                Arrays.asList(out),
                stack.stream().map(r -> r.call).toList(),
                trace());
    }

    /** Emits an operator that autocast leaves alone: {@code with torch.autocast(…, enabled=False)} around it. */
    public Value outOfAutocast(String target, Object... pairs) {
        Node inner = node(target, 1, arguments(pairs));
        Set<String> reads = new LinkedHashSet<>(inner.reads());
        Graph body = new Graph(
                inner.name(),
                reads.stream()
                        .map(v -> new Graph.Input(Graph.InputKind.USER, v, v, false))
                        .toList(),
                List.of(inner),
                List.of(new Graph.Output(Graph.OutputKind.USER, inner.name(), inner.name())),
                Map.of(),
                Map.of(),
                Map.of(),
                List.of());
        Map<String, Object> given = arguments(
                "device_type", "cuda", "dtype", DType.FLOAT32, "enabled", false, "cache_enabled", true, "body", body);
        reads.forEach(v -> given.put(v, new Value(v)));
        return op("higher_order.wrap_with_autocast", given);
    }

    /** Says which value modules mean by a name of the batch. */
    public void let(String name, Value value) {
        given.put(name, value);
    }

    /** What modules are given under a name: what {@link #let} says, or else an input. */
    public Value given(String name) {
        return given.getOrDefault(name, new Value(name));
    }

    /** Whether {@link #let} has said what a name means. */
    public boolean isLet(String name) {
        return given.containsKey(name);
    }

    /** Reads a variable that an earlier graph of the program has bound; an input of this one. */
    public Value variable(String name) {
        variables.add(name);
        return new Value(name);
    }

    /** Says of results of the model that an object of keys and values holds them. */
    public List<Value> cached(List<Value> values) {
        values.forEach(v -> cached.add(v.name()));
        return values;
    }

    /** Such results. */
    Set<String> cached() {
        return cached;
    }

    /** Names of the variables that are read. */
    Set<String> variables() {
        return variables;
    }

    /** {@code name = value}, for later graphs of the program. */
    public void bind(String name, Value value) {
        nodes.add(node(VariableNodes.BIND, 0, arguments("name", name, "value", value)));
    }

    /** {@code del name}. */
    public void delete(String name) {
        nodes.add(node(VariableNodes.DELETE, 0, arguments("name", name)));
    }

    /** Reads values, so that they live until here; they are let go of in this order. */
    public void use(Value... values) {
        nodes.add(node(VariableNodes.USE, 0, arguments("values", values)));
    }

    /** Says that a value is a scalar of a type, so that nobody has to find it out. */
    public Value scalar(Value value, DType type) {
        metas.put(value.name(), new TensorMeta(type, List.of(), List.of(), SymExpr.of(0), true));
        return value;
    }

    private String trace() {
        return stack.isEmpty() ? "" : stack.getLast().trace();
    }
}
