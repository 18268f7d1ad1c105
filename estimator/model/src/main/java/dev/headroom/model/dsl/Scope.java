package dev.headroom.model.dsl;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The running program while a model is written: emits operators, keeps the stack of modules and their source lines. */
public final class Scope {
    private static final class Running {
        private final Layer module;
        private final Node.ModuleCall call;
        private String text = "";
        private int line;

        private Running(Layer module, Node.ModuleCall call) {
            this.module = module;
            this.call = call;
        }
    }

    private final IdentityHashMap<Layer, String> paths;
    private final boolean training;
    private final Map<Layer, Integer> calls = new HashMap<>();
    private final Deque<Running> stack = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();

    Scope(IdentityHashMap<Layer, String> paths, boolean training) {
        this.paths = paths;
        this.training = training;
    }

    /** {@code self.training}. */
    public boolean training() {
        return training;
    }

    List<Node> nodes() {
        return nodes;
    }

    /** Runs a module. */
    public Value call(Layer module, Value... inputs) {
        String path = paths.get(module);
        if (path == null) {
            throw new IllegalArgumentException(
                    "module " + module.type() + " runs but is nobody's child; declare it with child(...)");
        }
        int n = calls.merge(module, 1, Integer::sum) - 1;
        stack.addLast(new Running(module, new Node.ModuleCall(n == 0 ? path : path + "@" + n, path, module.type())));
        Value out = module.forward(this, inputs);
        stack.removeLast();
        return out;
    }

    /**
     * Says which line of Python the following operators stand for, so that variables live as long as there: {@code "out
     * = self.conv(x)"} binds the line's result to {@code out} until it is bound again or the module returns.
     */
    public void line(String text) {
        Running r = stack.getLast();
        r.text = text;
        r.line++;
    }

    /** A parameter or buffer of the running module. */
    public Value parameter(String name) {
        Layer module = stack.getLast().module;
        if (!module.held.containsKey(name)) {
            throw new IllegalArgumentException(module.type() + " declares no tensor '" + name + "'");
        }
        return new Value(valueName(Objects.requireNonNull(paths.get(module), name), name));
    }

    static String valueName(String path, String name) {
        return "p_" + (path.isEmpty() ? name : path + "." + name).replace('.', '_');
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

    /** Emits an operator with several results. */
    public Value[] ops(String target, int results, Map<String, Object> arguments) {
        List<Node.NamedArgument> list = new ArrayList<>();
        arguments.forEach((name, value) -> list.add(new Node.NamedArgument(name, argument(value))));
        String base = target.split("\\.")[1];
        String[] out = new String[results];
        for (int i = 0; i < results; i++) {
            int n = names.merge(base, 1, Integer::sum) - 1;
            out[i] = n == 0 ? base : base + "_" + n;
        }
        nodes.add(new Node(
                out[0],
                target,
                list,
                Arrays.asList(out),
                stack.stream().map(r -> r.call).toList(),
                trace()));
        return Arrays.stream(out).map(Value::new).toArray(Value[]::new);
    }

    private static Argument argument(Object value) {
        if (value instanceof Value v) {
            return new Argument.Value(v.name());
        }
        if (value instanceof Value[] vs) {
            return new Argument.Values(Arrays.stream(vs).map(Value::name).toList());
        }
        if (value instanceof Integer || value instanceof Long) {
            return new Argument.Int(SymExpr.of(((Number) value).longValue()));
        }
        if (value instanceof long[] ls) {
            return new Argument.Ints(Arrays.stream(ls).mapToObj(SymExpr::of).toList());
        }
        if (value instanceof double[] ds) {
            return new Argument.Floats(Arrays.stream(ds).boxed().toList());
        }
        if (value instanceof Number n) {
            return new Argument.Float(n.doubleValue());
        }
        if (value instanceof Boolean b) {
            return new Argument.Bool(b);
        }
        if (value instanceof DType t) {
            return new Argument.Type(t);
        }
        if (value instanceof String s) {
            return new Argument.Text(s);
        }
        throw new IllegalArgumentException("an operator cannot take " + value);
    }

    private String trace() {
        StringBuilder out = new StringBuilder();
        for (Running r : stack) {
            out.append("File \"").append(r.module.type()).append("\", line ").append(r.line);
            out.append(", in forward\n    ")
                    .append(r.text.isEmpty() ? "return" : r.text)
                    .append('\n');
        }
        return out.toString();
    }
}
