package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the calls of a layer that is wrapped around a layer of the model, with the lines of Python that say how long
 * its variables live.
 */
public final class LayerWriter {
    private static final String FILE = "peft/layer.py";

    /** A call that runs, with its line. */
    private static final class Running {
        private final Node.ModuleCall call;
        private String text = "";
        private int number;

        private Running(Node.ModuleCall call) {
            this.call = call;
        }
    }

    private final CallSpan span;
    private final String result;
    private final List<Node.ModuleCall> outer;
    private final String outerLines;
    private final Deque<Running> stack = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private int made;
    private int entered;

    /** Of the calls that run; {@code null} where these have gone on since somebody asked. */
    private @Nullable String lines;

    /** @param type class of the wrapper */
    public LayerWriter(CallSpan span, String type) {
        this.span = span;
        this.result = span.outputs().isEmpty()
                ? span.nodes().get(span.nodes().size() - 1).outputs().get(0)
                : span.outputs().get(0);
        Node first = span.nodes().get(0);
        this.outer = first.moduleStack().subList(0, span.depth());
        this.outerLines = Frames.before(first.stackTrace(), span.depth());
        Node.ModuleCall own = span.module();
        stack.addLast(new Running(new Node.ModuleCall(own.call(), own.path(), type)));
    }

    /** The call that is wrapped. */
    public CallSpan call() {
        return span;
    }

    /** What was written, in order. */
    public List<Node> nodes() {
        return nodes;
    }

    /** What the layer is given first. */
    public String input() {
        return span.inputs().isEmpty() ? "" : span.inputs().get(0);
    }

    /** What others read of the layer. */
    public String result() {
        return result;
    }

    /** The line of the innermost call that the following operators stand for. */
    public void line(String text) {
        Running r = stack.getLast();
        r.text = text;
        r.number++;
        lines = null;
    }

    /**
     * A call inside of the innermost one, up to {@link #leave}.
     *
     * @param name of a module in the layer, or of one of its functions
     * @param line of Python that runs there
     */
    public void enter(String name, String type, String line) {
        Node.ModuleCall own = stack.getFirst().call;
        stack.addLast(new Running(new Node.ModuleCall(
                own.call() + "/" + name + entered++, own.path() + (name.isEmpty() ? "" : "." + name), type)));
        line(line);
    }

    /** The innermost call returns. */
    public void leave() {
        stack.removeLast();
        lines = null;
    }

    /**
     * The calls of the wrapped layer.
     *
     * @param name of the layer in its wrapper
     * @param instead values that it reads in the place of others
     * @return its result
     */
    public String base(String name, Map<String, String> instead) {
        String to = result + "_base";
        Map<String, String> renamed = new HashMap<>(instead);
        renamed.put(result, to);
        return copied(name, renamed, to);
    }

    /** The same of a layer whose result is the wrapper's. */
    public String whole(String name, Map<String, String> instead) {
        return copied(name, instead, result);
    }

    private String copied(String name, Map<String, String> instead, String to) {
        String prefix = span.module().path();
        for (Node n : span.nodes()) {
            List<Node.ModuleCall> calls = new ArrayList<>(outer);
            stack.forEach(r -> calls.add(r.call));
            for (Node.ModuleCall c :
                    n.moduleStack().subList(span.depth(), n.moduleStack().size())) {
                String path = prefix + "." + name + c.path().substring(prefix.length());
                calls.add(new Node.ModuleCall(c.call() + "/" + name, path, c.type()));
            }
            Node read = n.reading(instead);
            nodes.add(new Node(
                    read.name(),
                    read.target(),
                    read.arguments(),
                    read.outputs().stream()
                            .map(o -> o != null && o.equals(result) ? to : o)
                            .toList(),
                    calls,
                    lines() + Frames.from(n.stackTrace(), span.depth())));
        }
        return to;
    }

    private String lines() {
        if (lines == null) {
            StringBuilder out = new StringBuilder(outerLines);
            stack.forEach(r -> out.append(Frames.line(FILE, r.number, r.text)));
            lines = out.toString();
        }
        return lines;
    }

    /**
     * An operator.
     *
     * @param arguments name, value, name, value, …: names of values, numbers, types, lists of numbers
     * @return its result
     */
    public String op(String target, Object... arguments) {
        return named(result + "_peft" + made++, target, arguments);
    }

    /** An operator whose result is the layer's. */
    public String last(String target, Object... arguments) {
        return named(result, target, arguments);
    }

    private String named(String out, String target, Object... arguments) {
        List<Node.NamedArgument> list = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            list.add(new Node.NamedArgument((String) arguments[i], argument(arguments[i + 1])));
        }
        List<Node.ModuleCall> calls = new ArrayList<>(outer);
        stack.forEach(r -> calls.add(r.call));
        nodes.add(new Node(out, target, list, List.of(out), calls, lines()));
        return out;
    }

    /** Values that are held up to here although nothing reads them. */
    public void note(List<String> values) {
        List<Node.ModuleCall> calls = new ArrayList<>(outer);
        stack.forEach(r -> calls.add(r.call));
        List<Node.NamedArgument> held = List.of(new Node.NamedArgument("a", new Argument.Values(values)));
        nodes.add(new Node(result + "_held", "aten._assert_tensor_metadata.default", held, List.of(), calls, lines()));
    }

    private static Argument argument(Object value) {
        return value instanceof String name ? new Argument.Value(name) : Arguments.of(value);
    }
}
