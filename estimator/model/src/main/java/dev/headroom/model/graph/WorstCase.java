package dev.headroom.model.graph;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sizes that are in the data, such as how many places {@code nonzero} finds: no input shows them. The largest that can
 * be is as many as the operator reads.
 */
final class WorstCase {
    private static final Set<String> OPERATORS = Set.of(
            "aten.nonzero",
            "aten.nonzero_numpy",
            "aten.argwhere",
            "aten.masked_select",
            "aten.unique",
            "aten.unique2",
            "aten._unique",
            "aten._unique2",
            "aten.unique_dim",
            "aten.unique_consecutive",
            "aten.unique_dim_consecutive");

    private WorstCase() {}

    /** Binds the symbols that such operators make and that nobody asked for, in the order of the graph. */
    static void bind(Graph graph, Map<String, Long> bound) {
        for (Node node : graph.nodes()) {
            List<String> reads = OPERATORS.contains(node.operator()) ? node.reads() : List.of();
            if (reads.isEmpty()) {
                continue;
            }
            Long most = elements(graph, reads, bound);
            for (String output : node.outputs()) {
                TensorMeta meta = output == null ? null : graph.values().get(output);
                if (meta != null && most != null) {
                    Set<String> symbols = new LinkedHashSet<>();
                    meta.sizes().forEach(s -> s.forEachSymbol(symbols::add));
                    symbols.forEach(s -> bound.putIfAbsent(s, most));
                }
            }
        }
    }

    /** The most elements of what is read; {@code null} where a size is open. */
    private static @Nullable Long elements(Graph graph, List<String> reads, Map<String, Long> bound) {
        long most = 0;
        for (String name : reads) {
            TensorMeta meta = graph.values().get(name);
            if (meta == null) {
                continue;
            }
            long n = 1;
            for (SymExpr size : meta.sizes()) {
                Set<String> symbols = new LinkedHashSet<>();
                size.forEachSymbol(symbols::add);
                if (!bound.keySet().containsAll(symbols)) {
                    return null;
                }
                n = Math.multiplyExact(n, size.evaluate(bound));
            }
            most = Math.max(most, n);
        }
        return most;
    }
}
