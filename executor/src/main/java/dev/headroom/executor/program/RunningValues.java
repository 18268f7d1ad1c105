package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values of a program or a region while it runs, with those that running calls were given in their places. */
final class RunningValues {
    /** A running call with what its caller has under the names of its arguments. */
    private record Frame(HookedCalls.Span span, Map<String, Tensor> outside) {}

    private final Eager eager;
    private final Map<String, Tensor> borrowed;
    private final Map<String, Tensor> values;
    private final Map<String, DType> types = new HashMap<>();
    private final Deque<Frame> frames = new ArrayDeque<>();

    /** @param borrowed values that are not to be released */
    RunningValues(Eager eager, Map<String, Tensor> borrowed) {
        this.eager = eager;
        this.borrowed = borrowed;
        this.values = new HashMap<>(borrowed);
    }

    @Nullable
    Tensor get(String name) {
        return values.get(name);
    }

    /** Names and what they stand for now. */
    Map<String, Tensor> now() {
        return values;
    }

    /** A reference to a value passes over. */
    void put(String name, Tensor t) {
        values.put(name, t);
        types.put(name, t.dtype());
    }

    /** The same for a name that may have a value of its own, which is let go of. */
    void rebind(String name, Tensor t) {
        Tensor before = values.get(name);
        put(name, t);
        if (before != null && borrowed.get(name) != before) {
            eager.release(before);
        }
    }

    /** A node with the types that values have, or had, in place of their names. */
    Node typed(Node node) {
        boolean follows = node.arguments().stream().anyMatch(a -> a.value() instanceof Argument.TypeOf);
        if (!follows) {
            return node;
        }
        List<Node.NamedArgument> arguments = node.arguments().stream()
                .map(a -> a.value() instanceof Argument.TypeOf t
                        ? new Node.NamedArgument(a.name(), new Argument.Type(type(t.value())))
                        : a)
                .toList();
        return node.withArguments(arguments);
    }

    private DType type(String name) {
        Tensor given = values.get(name);
        return given == null ? types.getOrDefault(name, DType.FLOAT32) : given.dtype();
    }

    /** A module with hooks is called. */
    void enter(HookedCalls.Span span) {
        List<String> names = new ArrayList<>();
        List<Tensor> given = new ArrayList<>();
        for (String name : span.arguments()) {
            if (values.get(name) != null) {
                names.add(name);
                given.add(values.get(name));
            }
        }
        Map<String, Tensor> outside = new HashMap<>();
        try (Scope s = eager.open()) {
            Tensor[] seen = span.hooks().before(given.toArray(Tensor[]::new));
            for (int i = 0; i < seen.length; i++) {
                if (!Objects.equals(seen[i], given.get(i))) {
                    outside.put(names.get(i), given.get(i));
                    values.put(names.get(i), eager.hold(seen[i]));
                }
            }
        }
        frames.push(new Frame(span, outside));
    }

    /**
     * After a node: values die, and calls return, whose own values die before their hooks run.
     *
     * @param makers of the values, by name
     */
    void after(List<HookedCalls.Span> ending, List<String> dying, Map<String, Integer> makers) {
        List<String> left = new ArrayList<>(dying);
        for (HookedCalls.Span span : ending) {
            left.removeIf(name -> makers.getOrDefault(name, -1) >= span.from() && drop(name));
            span.hooks()
                    .after(span.results().stream()
                            .map(values::get)
                            .filter(Objects::nonNull)
                            .toArray(Tensor[]::new));
            restore(frames.pop());
        }
        left.forEach(this::drop);
    }

    private boolean drop(String name) {
        if (!borrowed.containsKey(name)) {
            eager.release(values.remove(name));
        }
        return true;
    }

    private void restore(Frame frame) {
        frame.outside().forEach((name, t) -> eager.release(values.put(name, t)));
    }

    /** References to values, one each for the caller. */
    @Nullable
    Tensor[] held(List<@Nullable String> names) {
        return names.stream()
                .map(name -> name == null ? null : eager.hold(values.get(name)))
                .toArray(Tensor[]::new);
    }

    /** Lets go of all values, wherever an error has left the calls. */
    void release() {
        while (!frames.isEmpty()) {
            restore(frames.pop());
        }
        values.forEach((name, t) -> {
            if (!Objects.equals(borrowed.get(name), t)) {
                eager.release(t);
            }
        });
    }
}
