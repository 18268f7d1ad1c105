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
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sizes that nodes name, made those of a rank: where what goes into a view is shorter than when the graph was exported,
 * what comes out is shorter in the dimension that it becomes.
 */
final class LocalSizes {
    /** Operators that name sizes, and the argument that does. */
    private static final Map<String, String> NAMED = Map.of(
            "aten.view", "size",
            "aten.expand", "size",
            "aten._unsafe_view", "size",
            "aten.reshape", "shape",
            "aten.split_with_sizes", "split_sizes",
            "aten.split", "split_size");

    /** Operators that look at sizes only: results of collectives stay unwaited for. */
    private static final Set<String> VIEWS = Set.of(
            "aten.view",
            "aten.transpose",
            "aten.permute",
            "aten.t",
            "aten.unsqueeze",
            "aten.squeeze",
            "aten.expand",
            "aten.slice",
            "aten.select",
            "aten.split",
            "aten.split_with_sizes",
            "aten.chunk",
            "aten.alias",
            "aten.detach");

    /**
     * A node that names sizes.
     *
     * @param self what it works on
     * @param whole sizes of that when the graph was exported
     * @param asked the sizes that it names
     */
    private record Sized(String operator, String argument, String self, long[] whole, long[] asked) {}

    /** What is known of a node. */
    static final class Facts {
        private final List<String> computesWith;
        private final @Nullable Sized sized;

        /** The last answer, and for which sizes of what goes in it is: in most runs there is one only. */
        private @Nullable Node made;

        private long[] here = NOTHING;

        private Facts(List<String> computesWith, @Nullable Sized sized) {
            this.computesWith = computesWith;
            this.sized = sized;
        }

        /** Values whose content the operator needs. */
        List<String> computesWith() {
            return computesWith;
        }
    }

    private static final long[] NOTHING = {};

    private final Map<String, Long> symbols;
    private final int ranks;

    private final IdentityHashMap<Node, Facts> known = new IdentityHashMap<>();

    LocalSizes(Map<String, Long> symbols, int ranks) {
        this.symbols = symbols;
        this.ranks = ranks;
    }

    Facts of(Graph graph, Node node) {
        Facts facts = known.get(node);
        if (facts == null) {
            facts = new Facts(VIEWS.contains(node.operator()) ? List.of() : node.reads(), sized(graph, node));
            known.put(node, facts);
        }
        return facts;
    }

    /** The node itself where nothing about it is divided. */
    Node local(Facts facts, Node node, Map<String, Tensor> values) {
        Sized sized = facts.sized;
        if (sized == null) {
            return node;
        }
        Tensor here = values.get(sized.self);
        if (here == null || sized.whole.length != here.dim() || Arrays.equals(sized.whole, here.sizes())) {
            return node;
        }
        if (facts.made == null || !Arrays.equals(facts.here, here.sizes())) {
            facts.here = here.sizes();
            facts.made = with(node, sized.argument, local(node, sized, here.sizes()));
        }
        return facts.made;
    }

    private @Nullable Sized sized(Graph graph, Node node) {
        String argument = NAMED.get(node.operator());
        String self = node.tensor("self");
        if (argument == null || self == null || !(node.argument(argument) instanceof Argument.Ints ints)) {
            return null;
        }
        TensorMeta meta = graph.values().get(self);
        return meta == null
                ? null
                : new Sized(
                        node.operator(),
                        argument,
                        self,
                        meta.sizes().stream().mapToLong(this::evaluate).toArray(),
                        ints.values().stream().mapToLong(this::evaluate).toArray());
    }

    private long[] local(Node node, Sized sized, long[] here) {
        return switch (sized.operator) {
            case "aten.expand" -> expanded(sized.whole, here, sized.asked);
            case "aten.split_with_sizes", "aten.split" -> split(node, sized.whole, here, sized.asked);
            default -> viewed(node, sized.whole, here, sized.asked);
        };
    }

    private long evaluate(SymExpr e) {
        return e.evaluate(symbols);
    }

    private static Node with(Node node, String argument, long[] sizes) {
        List<SymExpr> constants = new ArrayList<>();
        for (long s : sizes) {
            constants.add(new SymExpr.Constant(s));
        }
        return node.with(argument, new Argument.Ints(constants));
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
     * Dimensions that a view merges or splits make groups of the same number of elements; of a divided group, the
     * dimension that was left open is the divided one, else the first.
     */
    private long[] viewed(Node node, long[] whole, long[] here, long[] named) {
        long[] asked = Shapes.inferSize(named, Shapes.numel(whole));
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
                int divided = divided(named, asked, firstOut, j);
                out[divided] = divided(node, asked[divided], local, in);
            }
        }
        return out;
    }

    private static int divided(long[] named, long[] asked, int first, int end) {
        for (int d = first; d < end; d++) {
            if (named[d] < 0) {
                return d;
            }
        }
        int divided = first;
        while (divided < end - 1 && asked[divided] == 1) {
            divided++;
        }
        return divided;
    }

    private long divided(Node node, long size, long local, long whole) {
        if (size * local % whole != 0) {
            throw new UserInputException((node.module().isEmpty() ? "the model" : node.module()) + ": " + size
                    + " heads or groups do not divide among the " + ranks
                    + " ranks of `parallel=tp`; choose a `tp` that"
                    + " divides them");
        }
        return size * local / whole;
    }
}
