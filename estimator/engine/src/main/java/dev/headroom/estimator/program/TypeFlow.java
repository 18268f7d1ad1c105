package dev.headroom.estimator.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where values go that were converted: a matrix product takes one type only, and arithmetic the widest. */
final class TypeFlow {
    private static final Set<String> SAME_TYPES = Set.of(
            "aten.matmul",
            "aten.bmm",
            "aten.mm",
            "aten.linear",
            "aten.addmm",
            "aten.baddbmm",
            "aten.einsum",
            "aten.scaled_dot_product_attention",
            "transformers.grouped_mm_fallback");

    private static final Set<String> TYPE_KEEPING = Set.of(
            "aten.dropout",
            "aten.view",
            "aten.reshape",
            "aten.transpose",
            "aten.permute",
            "aten.contiguous",
            "aten.expand",
            "aten.clone",
            "aten.unsqueeze",
            "aten.squeeze");

    /** Arithmetic, whose result has the widest type of what it is given. */
    private static final Set<String> PROMOTING = Stream.concat(
                    TYPE_KEEPING.stream(),
                    Stream.of("add", "sub", "mul", "div", "neg", "cat", "slice", "select", "flatten", "masked_fill")
                            .map("aten."::concat))
            .collect(Collectors.toUnmodifiableSet());

    private final List<Node> nodes;
    private final Map<String, Integer> producer;
    private final Map<String, List<Node>> consumers;

    /**
     * @param producer by value: the node that makes it
     * @param consumers by value: the nodes that read it
     */
    TypeFlow(List<Node> nodes, Map<String, Integer> producer, Map<String, List<Node>> consumers) {
        this.nodes = nodes;
        this.producer = producer;
        this.consumers = consumers;
    }

    /** What a conversion means whose line is out of sight, by what becomes of its result. */
    TypeMeanings.Kind hidden(String value) {
        if (meetsConverted(value)) {
            return TypeMeanings.Kind.HIDDEN;
        }
        TypeMeanings.Kind far = meets(value, PROMOTING) ? TypeMeanings.Kind.HIDDEN_RUN : TypeMeanings.Kind.HIDDEN;
        return meetsModelType(value) ? TypeMeanings.Kind.HIDDEN_LOW : far;
    }

    /** Whether an operator takes tensors of one type only. */
    static boolean needsOneType(Node n) {
        return SAME_TYPES.contains(n.operator());
    }

    /** Whether an operator's result has the type of its first argument. */
    static boolean keepsType(Node n) {
        return TYPE_KEEPING.contains(n.operator());
    }

    /** Whether a value goes to a matrix product, which takes one type only. */
    boolean meetsModelType(String value) {
        return meets(value, TYPE_KEEPING);
    }

    /** Whether all operands of a product that a value goes to are converted: then they go up rather than down. */
    private boolean meetsConverted(String value) {
        return consumers.getOrDefault(value, List.of()).stream()
                .anyMatch(n -> needsOneType(n) && n.reads().size() == 2
                        ? n.reads().stream().allMatch(this::converted)
                        : keepsType(n) && meetsConverted(n.outputs().get(0)));
    }

    private boolean converted(String value) {
        Integer made = producer.get(value);
        Node n = made == null ? null : nodes.get(made);
        return n != null
                && (TypeMeanings.converts(n)
                        || keepsType(n) && converted(n.reads().get(0)));
    }

    /** Values meet again behind a residual, so that there are far more ways than values: each is looked at once. */
    private boolean meets(String value, Set<String> through) {
        Set<String> seen = new HashSet<>(Set.of(value));
        Deque<String> ahead = new ArrayDeque<>(seen);
        while (!ahead.isEmpty()) {
            for (Node n : consumers.getOrDefault(ahead.pop(), List.of())) {
                if (needsOneType(n)) {
                    return true;
                }
                if (through.contains(n.operator())) {
                    n.outputs().stream()
                            .filter(out -> out != null && seen.add(out))
                            .forEach(ahead::push);
                }
            }
        }
        return false;
    }
}
