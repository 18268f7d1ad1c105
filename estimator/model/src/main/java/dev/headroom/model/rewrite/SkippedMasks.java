package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Attention masks that the transformers library builds only under tracing. Eagerly it gives
 * {@code scaled_dot_product_attention} no mask where the mask would be all true, {@code is_causal} where it would be
 * the plain causal one, and then leaves shared key/value heads unrepeated (transformers, masking_utils.py,
 * _ignore_causal_mask_sdpa and _ignore_bidirectional_mask_sdpa; integrations/sdpa_attention.py, use_gqa_in_sdpa and
 * create_position_bias_mask).
 */
public final class SkippedMasks {
    /** Where the library's frames are, in a stack trace. */
    private static final String LIBRARY = "transformers/";

    private static final String ATTENTION = "aten.scaled_dot_product_attention";
    private static final long MAX_SHARED_HEAD_SIZE = 256;

    private final Graph graph;
    private final Map<String, Long> symbols;
    private final KnownValues known;
    private final Map<String, Node> producers = new HashMap<>();
    private final PaddingChecks checks;

    /** Values that a run that was looked on made itself: nothing that only tracing builds. */
    private final Set<String> seen = new HashSet<>();

    private SkippedMasks(Graph graph, Map<String, Long> symbols) {
        this.graph = graph;
        this.symbols = symbols;
        this.known = new KnownValues(graph, symbols);
        for (Node n : graph.nodes()) {
            n.outputs().forEach(o -> producers.put(o, n));
            seen.addAll(n.released());
        }
        this.checks = new PaddingChecks(producers);
    }

    /** The graph with such masks left out, and what only they needed. */
    public static Graph restore(Graph graph, Map<String, Long> symbols) {
        boolean candidate = graph.nodes().stream().anyMatch(n -> n.operator().equals(ATTENTION) && traced(n));
        return candidate ? new SkippedMasks(graph, symbols).rewrite() : looked(graph);
    }

    /** The library looks whether sequences are packed even where it needs the mask. */
    private static Graph looked(Graph graph) {
        List<Node> nodes = PackedSequences.check(graph.nodes(), new HashSet<>());
        return nodes.size() == graph.nodes().size() ? graph : graph.withNodes(nodes);
    }

    static boolean traced(Node node) {
        return node.stackTrace().contains(LIBRARY);
    }

    private Graph rewrite() {
        List<Node> nodes = new ArrayList<>(graph.nodes().size());
        boolean changed = false;
        for (Node n : graph.nodes()) {
            Node r = n;
            if (traced(n) && n.operator().equals(ATTENTION)) {
                r = attention(n);
            } else if (traced(n) && n.operator().equals("aten.where")) {
                r = positionBias(n);
            }
            changed |= !r.equals(n);
            nodes.add(r);
        }
        if (!changed) {
            return looked(graph);
        }
        Set<String> keep = new HashSet<>();
        List<Node> checked = checks.insert(PackedSequences.check(nodes, keep), graph, keep);
        return DeadCode.remove(graph.withNodes(checked), graph, keep);
    }

    private Node attention(Node n) {
        String name = n.tensor("attn_mask");
        Condition mask = name == null ? null : known.condition(name);
        if (name == null || mask == null || seen.contains(name) || !mask.always() && !mask.isCausal()) {
            return n;
        }
        checks.skipped(name, mask.isCausal() && !mask.always());
        Node out = n.without("attn_mask");
        if (!mask.always()) {
            out = out.with("is_causal", new Argument.Bool(true));
        }
        String key = unrepeated(n.argument("key"));
        String value = unrepeated(n.argument("value"));
        if (key != null && value != null) {
            out = out.with("key", new Argument.Value(key));
            out = out.with("value", new Argument.Value(value));
            out = out.with("enable_gqa", new Argument.Bool(true));
        }
        return out;
    }

    /** What {@code repeat_kv} was given: {@code reshape(expand(unsqueeze(x)))}; {@code null} for anything else. */
    private @Nullable String unrepeated(@Nullable Argument argument) {
        String name = input(argument, "aten.reshape");
        name = name == null ? null : input(new Argument.Value(name), "aten.expand");
        name = name == null ? null : input(new Argument.Value(name), "aten.unsqueeze");
        while (name != null && producers.get(name) != null && isWholeSlice(producers.get(name))) {
            name = input(new Argument.Value(name), "aten.slice");
        }
        if (name == null) {
            return null;
        }
        List<dev.headroom.model.graph.SymExpr> sizes = graph.meta(name).sizes();
        return sizes.size() == 4 && sizes.get(3).evaluate(symbols) <= MAX_SHARED_HEAD_SIZE ? name : null;
    }

    private boolean isWholeSlice(Node n) {
        return n.operator().equals("aten.slice")
                && n.argument("start") instanceof Argument.Int s
                && s.value().evaluate(symbols) == 0
                && n.argument("end") instanceof Argument.Int e
                && e.value().evaluate(symbols) == Long.MAX_VALUE;
    }

    private @Nullable String input(@Nullable Argument argument, String operator) {
        if (!(argument instanceof Argument.Value v)) {
            return null;
        }
        Node n = producers.get(v.name());
        if (n == null || !n.operator().equals(operator) || !(n.argument("self") instanceof Argument.Value self)) {
            return null;
        }
        return self.name();
    }

    /** {@code where(mask, bias, lowest)}: eagerly the bias alone, or a causal mask without a batch dimension. */
    private Node positionBias(Node n) {
        if (!(n.argument("condition") instanceof Argument.Value v)) {
            return n;
        }
        Condition mask = known.condition(v.name());
        if (mask == null || seen.contains(v.name())) {
            return n;
        }
        if (mask.always() && n.argument("self") instanceof Argument.Value bias) {
            return n.withTarget("aten.to.dtype").withArguments(List.of(new Node.NamedArgument("self", bias)));
        }
        Node producer = producers.get(v.name());
        if (mask.isCausal()
                && producer != null
                && producer.operator().equals("aten.expand")
                && producer.argument("self") instanceof Argument.Value repeated) {
            return n.with("condition", repeated);
        }
        return n;
    }
}
