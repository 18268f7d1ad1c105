package dev.headroom.estimator.flops;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The sizes that one operator call works on, in elements, and for which of its arguments a gradient is wanted. */
final class CallSizes {
    private final Graph graph;
    private final Node node;
    private final Map<String, Long> symbols;
    private final Set<String> differentiable;

    /** @param differentiable values that a gradient is computed for */
    CallSizes(Graph graph, Node node, Map<String, Long> symbols, Set<String> differentiable) {
        this.graph = graph;
        this.node = node;
        this.symbols = symbols;
        this.differentiable = differentiable;
    }

    Node node() {
        return node;
    }

    /** Sizes of a tensor argument. */
    long[] sizes(String argument) {
        if (node.argument(argument) instanceof Argument.Value v) {
            return of(v.name());
        }
        throw new UserInputException("node " + node.name() + " (" + node.target() + "): argument '" + argument
                + "' is not a tensor; export the model again or report the archive");
    }

    /** Whole numbers in a list argument; none where it is missing. */
    long[] numbers(String argument) {
        return node.argument(argument) instanceof Argument.Ints ints
                ? ints.values().stream().mapToLong(n -> n.evaluate(symbols)).toArray()
                : new long[0];
    }

    /** Sizes of the tensors in a list argument. */
    List<long[]> list(String argument) {
        return names(argument).stream().map(this::of).toList();
    }

    private List<String> names(String argument) {
        return node.argument(argument) instanceof Argument.Values vs ? vs.names() : List.of();
    }

    /** A text argument, or "". */
    String text(String argument) {
        return node.argument(argument) instanceof Argument.Text t ? t.value() : "";
    }

    /** Sizes of the first result. */
    long[] result() {
        return of(node.outputs().get(0));
    }

    /** Whether a gradient of this argument is wanted: 1 or 0. */
    int wanted(String argument) {
        return node.argument(argument) instanceof Argument.Value v && differentiable.contains(v.name()) ? 1 : 0;
    }

    /** Whether a gradient of this element of a list argument is wanted: 1 or 0. */
    int wanted(String argument, int index) {
        return differentiable.contains(names(argument).get(index)) ? 1 : 0;
    }

    /** Whether there is a backward pass through this call. */
    boolean hasBackward() {
        return node.outputs().stream().anyMatch(o -> o != null && differentiable.contains(o));
    }

    /** Elements of the largest tensor that the call reads or makes. */
    long largest() {
        List<String> all = new ArrayList<>(node.reads());
        all.addAll(node.outputs());
        return all.stream()
                .filter(v -> v != null && graph.values().containsKey(v))
                .mapToLong(v -> product(of(v)))
                .max()
                .orElse(0);
    }

    private long[] of(String value) {
        TensorMeta meta = value == null ? null : graph.values().get(value);
        if (meta == null) {
            throw new UserInputException("node " + node.name() + " (" + node.target() + "): the sizes of '" + value
                    + "' are not known; export the model again or report the archive");
        }
        return meta.sizes().stream().mapToLong(s -> s.evaluate(symbols)).toArray();
    }

    /** Elements of a tensor. */
    static long product(long[] sizes) {
        long n = 1;
        for (long s : sizes) {
            n = Math.multiplyExact(n, s);
        }
        return n;
    }
}
