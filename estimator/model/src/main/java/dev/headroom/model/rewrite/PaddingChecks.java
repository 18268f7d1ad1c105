package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The look at a padding mask with which the transformers library decides, eagerly, that a mask may be skipped: it
 * counts the true values for a causal mask, and asks {@code all()} for one of both directions (masking_utils.py,
 * fast_all and _ignore_bidirectional_mask_sdpa). Tracing leaves it out.
 */
final class PaddingChecks {
    private final Map<String, Node> producers;

    /** Padding masks of skipped masks; whether those are causal. */
    private final Map<String, Boolean> looked = new HashMap<>();

    PaddingChecks(Map<String, Node> producers) {
        this.producers = producers;
    }

    /** Notes that a mask is skipped. */
    void skipped(String mask, boolean causal) {
        String padding = padding(mask, 0);
        if (padding != null) {
            looked.putIfAbsent(padding, causal);
        }
    }

    /** The booleans of two dimensions that a mask picks its columns from. */
    private @Nullable String padding(String value, int depth) {
        Node n = producers.get(value);
        if (n == null || depth > 12) {
            return null;
        }
        if (n.operator().equals("aten.index")) {
            String self = n.reads().get(0);
            Node made = producers.get(self);
            return made != null && made.operator().equals("aten.to") ? self : null;
        }
        for (String read : n.reads()) {
            String found = padding(read, depth + 1);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * The nodes with a look after each padding mask.
     *
     * @param keep takes the values that must stay although nothing reads them
     */
    List<Node> insert(List<Node> nodes, Graph graph, Set<String> keep) {
        if (looked.isEmpty()) {
            return nodes;
        }
        List<Node> out = new ArrayList<>(nodes.size() + 2);
        for (Node n : nodes) {
            out.add(n);
            String value = n.outputs().isEmpty() ? null : n.outputs().get(0);
            Boolean causal = value == null ? null : looked.get(value);
            TensorMeta meta = value == null ? null : graph.values().get(value);
            if (value == null || causal == null || meta == null || meta.dtype() != DType.BOOL) {
                continue;
            }
            if (causal) {
                out.add(node(n, value + "_sum", "aten.sum.default", value, false));
                out.add(node(n, value + "_full", "aten.eq.Scalar", value + "_sum", true));
            } else {
                out.add(node(n, value + "_full", "aten.all.default", value, false));
            }
            keep.add(value + "_full");
        }
        return out;
    }

    private static Node node(Node like, String name, String target, String self, boolean compares) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument("self", new Argument.Value(self)));
        if (compares) {
            arguments.add(new Node.NamedArgument("other", new Argument.Int(SymExpr.of(0))));
        }
        return new Node(name, target, arguments, List.of(name), like.moduleStack(), like.stackTrace());
    }
}
