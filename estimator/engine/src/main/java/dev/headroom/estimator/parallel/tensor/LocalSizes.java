package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sizes that nodes name, made those of a rank: where what goes into a view is shorter than when the graph was exported,
 * what comes out is shorter in the dimension that it becomes.
 */
final class LocalSizes {
    private final Map<String, Long> symbols;
    private final int ranks;

    LocalSizes(Map<String, Long> symbols, int ranks) {
        this.symbols = symbols;
        this.ranks = ranks;
    }

    /** The node itself where nothing about it is divided. */
    Node of(Graph graph, Node node, Map<String, Tensor> values) {
        String argument =
                switch (node.operator()) {
                    case "aten.view", "aten.expand", "aten._unsafe_view" -> "size";
                    case "aten.reshape" -> "shape";
                    case "aten.split_with_sizes" -> "split_sizes";
                    case "aten.split" -> "split_size";
                    default -> null;
                };
        Node.NamedArgument sizes = argument == null ? null : named(node, argument);
        Node.NamedArgument self = named(node, "self");
        if (sizes == null || self == null || !(self.value() instanceof Argument.Value v)) {
            return node;
        }
        TensorMeta meta = graph.values().get(v.name());
        Tensor here = values.get(v.name());
        if (meta == null || here == null || meta.sizes().size() != here.dim()) {
            return node;
        }
        long[] whole = meta.sizes().stream().mapToLong(this::evaluate).toArray();
        if (Arrays.equals(whole, here.sizes()) || !(sizes.value() instanceof Argument.Ints ints)) {
            return node;
        }
        long[] asked = ints.values().stream().mapToLong(this::evaluate).toArray();
        long[] local =
                switch (node.operator()) {
                    case "aten.expand" -> expanded(whole, here.sizes(), asked);
                    case "aten.split_with_sizes", "aten.split" -> split(node, whole, here.sizes(), asked);
                    default -> viewed(node, whole, here.sizes(), Shapes.inferSize(asked, Shapes.numel(whole)));
                };
        return with(node, argument, local);
    }

    private long evaluate(SymExpr e) {
        return e.evaluate(symbols);
    }

    private static Node.@Nullable NamedArgument named(Node node, String name) {
        return node.arguments().stream()
                .filter(a -> a.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static Node with(Node node, @Nullable String argument, long[] sizes) {
        List<SymExpr> constants = new ArrayList<>();
        for (long s : sizes) {
            constants.add(new SymExpr.Constant(s));
        }
        List<Node.NamedArgument> arguments = node.arguments().stream()
                .map(a ->
                        a.name().equals(argument) ? new Node.NamedArgument(argument, new Argument.Ints(constants)) : a)
                .toList();
        return new Node(node.name(), node.target(), arguments, node.outputs(), node.moduleStack(), node.stackTrace());
    }

    private static long[] expanded(long[] whole, long[] here, long[] asked) {
        long[] out = asked.clone();
        int shift = asked.length - whole.length;
        for (int i = 0; i < whole.length; i++) {
            out[i + shift] = asked[i + shift] == whole[i] ? here[i] : asked[i + shift];
        }
        return out;
    }

    private long[] split(Node node, long[] whole, long[] here, long[] asked) {
        long total = Arrays.stream(asked).sum();
        for (int d = 0; d < whole.length; d++) {
            if (whole[d] == total && here[d] != total) {
                long[] out = new long[asked.length];
                for (int i = 0; i < out.length; i++) {
                    out[i] = divided(node, asked[i], here[d], total);
                }
                return out;
            }
        }
        return asked;
    }

    /**
     * Dimensions that a view merges or splits make groups of the same number of elements; of a divided group, the first
     * dimension is the divided one.
     */
    private long[] viewed(Node node, long[] whole, long[] here, long[] asked) {
        long[] out = asked.clone();
        int i = 0;
        int j = 0;
        while (i < whole.length && j < asked.length) {
            int firstIn = i;
            int firstOut = j;
            long in = whole[i++];
            long to = asked[j++];
            while (in != to) {
                if (in < to && i < whole.length) {
                    in *= whole[i++];
                } else if (j < asked.length) {
                    to *= asked[j++];
                } else {
                    return out;
                }
            }
            long local = 1;
            for (int k = firstIn; k < i; k++) {
                local *= here[k];
            }
            if (local != in) {
                int divided = firstOut;
                while (divided < j - 1 && asked[divided] == 1) {
                    divided++;
                }
                out[divided] = divided(node, asked[divided], local, in);
            }
        }
        return out;
    }

    private long divided(Node node, long size, long local, long whole) {
        if (size * local % whole != 0) {
            throw new UserInputException((node.module().isEmpty() ? "the model" : node.module()) + ": " + size
                    + " heads or groups do not divide among the " + ranks
                    + " ranks of --parallel tp; choose a --tp that"
                    + " divides them");
        }
        return size * local / whole;
    }
}
