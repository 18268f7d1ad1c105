package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a model was in training or in evaluation mode when it was exported: dropout, batch normalisation and
 * recurrent layers carry it as an argument. Branches of Python on {@code self.training} leave no trace.
 */
public final class ModelMode {
    /** The argument that says it, by the operator's name without overload (native_functions.yaml). */
    private static final Map<String, String> SWITCHES = Map.ofEntries(
            Map.entry("aten.dropout", "train"),
            Map.entry("aten.dropout_", "train"),
            Map.entry("aten.alpha_dropout", "train"),
            Map.entry("aten.alpha_dropout_", "train"),
            Map.entry("aten.feature_dropout", "train"),
            Map.entry("aten.feature_dropout_", "train"),
            Map.entry("aten.feature_alpha_dropout", "train"),
            Map.entry("aten.feature_alpha_dropout_", "train"),
            Map.entry("aten.native_dropout", "train"),
            Map.entry("aten.batch_norm", "training"),
            Map.entry("aten.lstm", "train"),
            Map.entry("aten.gru", "train"),
            Map.entry("aten.rnn_tanh", "train"),
            Map.entry("aten.rnn_relu", "train"),
            Map.entry("aten.rrelu", "training"),
            Map.entry("aten.rrelu_", "training"));

    private static final String ATTENTION = "aten.scaled_dot_product_attention";
    private static final String DROPPED = "dropout_p";

    private ModelMode() {}

    /** Whether all that can tell says training ({@code true}) or evaluation; empty where calls differ or none tells. */
    public static Optional<Boolean> training(Graph graph) {
        boolean[] seen = new boolean[2];
        for (Node n : graph.nodes()) {
            String flag = SWITCHES.get(n.operator());
            if (flag != null && n.argument(flag) instanceof Argument.Bool on) {
                seen[on.value() ? 1 : 0] = true;
            } else if (dropsAttention(n)) {
                seen[1] = true;
            }
        }
        return seen[0] == seen[1] ? Optional.empty() : Optional.of(seen[1]);
    }

    /** The graph of {@code model.eval()}: the very graph, where nothing in it tells of a mode. */
    public static Graph evaluating(Graph graph) {
        List<Node> nodes = new ArrayList<>();
        boolean changed = false;
        for (Node n : graph.nodes()) {
            String flag = SWITCHES.get(n.operator());
            Node own = n;
            if (flag != null && ofModule(n) && isOn(n.argument(flag))) {
                own = n.with(flag, new Argument.Bool(false));
                changed = true;
            } else if (dropsAttention(n) && asksForMode(n)) {
                own = n.with(DROPPED, new Argument.Float(0));
                changed = true;
            }
            nodes.add(own);
        }
        return changed ? graph.withNodes(nodes) : graph;
    }

    /**
     * Whether a module of {@code torch.nn} makes the call: it hands its own mode on. Who calls a function hands over
     * what they please.
     */
    private static boolean ofModule(Node n) {
        List<Node.ModuleCall> stack = n.moduleStack();
        return !stack.isEmpty() && stack.get(stack.size() - 1).type().startsWith("torch.nn.modules.");
    }

    /** Whether the lines of the call look at the mode, as those of attention must: the operator itself has none. */
    private static boolean asksForMode(Node n) {
        return n.stackTrace().contains("self.training") || n.stackTrace().contains("multi_head_attention_forward");
    }

    private static boolean isOn(@Nullable Argument flag) {
        return flag instanceof Argument.Bool on && on.value();
    }

    private static boolean dropsAttention(Node n) {
        return n.operator().equals(ATTENTION) && n.argument(DROPPED) instanceof Argument.Float p && p.value() > 0;
    }
}
