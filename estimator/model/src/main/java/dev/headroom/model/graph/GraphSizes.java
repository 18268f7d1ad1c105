package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The sizes of a graph's tensors under given symbols. */
final class GraphSizes {
    private GraphSizes() {}

    /** The symbols that sizes, strides, offsets or integer arguments depend on, in order of appearance. */
    static Set<String> symbols(Graph graph) {
        Set<String> symbols = new LinkedHashSet<>();
        collect(graph, symbols::add);
        return symbols;
    }

    private static void collect(Graph graph, Consumer<String> symbols) {
        for (TensorMeta meta : graph.values().values()) {
            meta.sizes().forEach(size -> size.forEachSymbol(symbols));
            meta.strides().forEach(stride -> stride.forEachSymbol(symbols));
            meta.storageOffset().forEachSymbol(symbols);
        }
        for (Node node : graph.nodes()) {
            for (Node.NamedArgument argument : node.arguments()) {
                if (argument.value() instanceof Argument.Int one) {
                    one.value().forEachSymbol(symbols);
                } else if (argument.value() instanceof Argument.Ints many) {
                    many.values().forEach(value -> value.forEachSymbol(symbols));
                } else if (argument.value() instanceof Argument.Subgraph body) {
                    collect(body.graph(), symbols);
                }
            }
        }
    }

    /**
     * Checks that every tensor, of subgraphs, too, has sizes that are not negative and bytes that fit 64 bits.
     *
     * @throws UserInputException naming the value
     */
    static void check(Graph graph, Map<String, Long> symbols) {
        graph.values().forEach((name, meta) -> check(name, meta, symbols));
        for (Node node : graph.nodes()) {
            for (Node.NamedArgument argument : node.arguments()) {
                if (argument.value() instanceof Argument.Subgraph body) {
                    check(body.graph(), symbols);
                }
            }
        }
    }

    /** The same of one tensor. */
    static void check(String name, TensorMeta meta, Map<String, Long> symbols) {
        try {
            long elements = 1;
            long extent = Math.addExact(natural(meta.storageOffset(), "storage offset", symbols), 1);
            boolean empty = false;
            List<SymExpr> sizes = meta.sizes();
            for (int i = 0; i < sizes.size(); i++) {
                long size = natural(sizes.get(i), "size", symbols);
                long stride = natural(meta.strides().get(i), "stride", symbols);
                empty |= size == 0;
                elements = Math.multiplyExact(elements, Math.max(size, 1));
                extent = Math.addExact(extent, Math.multiplyExact(Math.max(size, 1) - 1, stride));
            }
            Math.multiplyExact(empty ? 0 : elements, meta.dtype().bytes());
            Math.multiplyExact(empty ? 0 : extent, meta.dtype().bytes());
        } catch (ArithmeticException e) {
            throw new UserInputException("tensor " + name + " would be larger than 2^63 bytes" + given(symbols), e);
        } catch (UserInputException e) {
            throw new UserInputException("tensor " + name + ": " + e.getMessage() + given(symbols), e);
        }
    }

    private static long natural(SymExpr value, String what, Map<String, Long> symbols) {
        long number = value.evaluate(symbols);
        if (number < 0) {
            throw new UserInputException("its " + what + " " + value + " comes out as " + number);
        }
        return number;
    }

    private static String given(Map<String, Long> symbols) {
        return symbols.isEmpty() ? "" : " with " + symbols;
    }
}
