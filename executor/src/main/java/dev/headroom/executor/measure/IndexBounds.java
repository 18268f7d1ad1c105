package dev.headroom.executor.measure;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How many entries the tables have that a model's inputs are looked up in, through whatever hands their numbers on; and
 * inputs that hold lengths, which are as long as they can be.
 */
final class IndexBounds {
    /** Operators whose results hold numbers of their operands, beside constants. */
    private static final Set<String> KEEPING = Set.of(
            "aten.view",
            "aten._unsafe_view",
            "aten.reshape",
            "aten.flatten",
            "aten.unflatten",
            "aten.squeeze",
            "aten.unsqueeze",
            "aten.expand",
            "aten.repeat",
            "aten.permute",
            "aten.transpose",
            "aten.t",
            "aten.contiguous",
            "aten.clone",
            "aten.alias",
            "aten.detach",
            "aten.to",
            "aten._to_copy",
            "aten.slice",
            "aten.select",
            "aten.split",
            "aten.chunk",
            "aten.unbind",
            "aten.pad",
            "aten.constant_pad_nd",
            "aten.cat",
            "aten.stack",
            "aten.where",
            "aten.masked_fill",
            "aten.clamp_min");

    private final Graph graph;
    private final Map<String, Long> symbols;
    private final Map<String, Set<String>> sources = new HashMap<>();
    private final Map<String, Long> bounds = new HashMap<>();
    private final Map<String, Long> lengths = new HashMap<>();

    private IndexBounds(Graph graph, Map<String, Long> symbols) {
        this.graph = graph;
        this.symbols = symbols;
    }

    /** What an input's numbers are from, by its qualified name: its length, else 0. */
    long from(String input) {
        return lengths.getOrDefault(input, 0L);
    }

    /** What they are below: the fewest entries; {@code otherwise} where no operator takes them as indices. */
    long below(String input, long otherwise) {
        Long length = lengths.get(input);
        return length == null ? bounds.getOrDefault(input, otherwise) : length + 1;
    }

    static IndexBounds of(Graph graph, Map<String, Long> symbols) {
        IndexBounds made = new IndexBounds(graph, symbols);
        for (Graph.Input input : graph.inputs()) {
            if (input.kind() == Graph.InputKind.USER) {
                made.sources.put(input.value(), Set.of(input.qualifiedName()));
            }
        }
        graph.nodes().forEach(made::follow);
        return made;
    }

    private void follow(Node node) {
        switch (node.operator()) {
            case "aten.embedding", "aten.embedding_bag" ->
                bound(node.tensor("indices"), size(node.tensor("weight"), 0));
            case "aten.index_select", "aten.gather", "aten.scatter", "aten.scatter_add" ->
                bound(node.tensor("index"), size(node.tensor("self"), dimension(node)));
            case "aten.index" -> indexed(node);
            case "aten.cross_entropy_loss", "aten.nll_loss", "aten.nll_loss_nd" -> {
                String scores = node.tensor("self");
                TensorMeta meta = graph.values().get(scores);
                bound(
                        node.tensor("target"),
                        size(scores, meta != null && meta.sizes().size() > 1 ? 1 : 0));
            }
            case "aten.ctc_loss" -> aligned(node);
            default -> handOn(node);
        }
    }

    private void handOn(Node node) {
        if (KEEPING.contains(node.operator())) {
            Set<String> from = new HashSet<>();
            node.reads().forEach(r -> from.addAll(sources.getOrDefault(r, Set.of())));
            node.outputs().stream().filter(o -> o != null).forEach(o -> sources.put(o, from));
        }
    }

    private void indexed(Node node) {
        if (node.argument("indices") instanceof Argument.Values indices) {
            List<String> names = indices.names();
            for (int d = 0; d < names.size(); d++) {
                bound(names.get(d), size(node.tensor("self"), d));
            }
        }
    }

    private void bound(@Nullable String indices, long entries) {
        if (indices != null) {
            sources.getOrDefault(indices, Set.of()).forEach(s -> bounds.merge(s, entries, Math::min));
        }
    }

    /** Inputs of all steps, targets that fill their rows. */
    private void aligned(Node node) {
        String logs = node.tensor("log_probs");
        String targets = node.tensor("targets");
        bound(targets, size(logs, -1));
        length(node.tensor("input_lengths"), size(logs, 0));
        TensorMeta meta = targets == null ? null : graph.values().get(targets);
        boolean joined = meta != null && meta.sizes().size() == 1;
        long row = joined ? size(targets, 0) / Math.max(1, size(logs, 1)) : size(targets, -1);
        length(node.tensor("target_lengths"), row);
    }

    private void length(@Nullable String tensor, long value) {
        if (tensor != null) {
            sources.getOrDefault(tensor, Set.of()).forEach(s -> lengths.put(s, value));
        }
    }

    /** A model built in Java does not tell the sizes of what it computes; the first entry is always there. */
    private long size(@Nullable String tensor, int dim) {
        TensorMeta meta = tensor == null ? null : graph.values().get(tensor);
        if (meta == null || meta.sizes().isEmpty()) {
            return 1;
        }
        List<SymExpr> sizes = meta.sizes();
        return sizes.get(dim < 0 ? dim + sizes.size() : dim).evaluate(symbols);
    }

    private static int dimension(Node node) {
        return node.argument("dim") instanceof Argument.Int dim
                ? (int) dim.value().evaluate(Map.of())
                : 0;
    }
}
