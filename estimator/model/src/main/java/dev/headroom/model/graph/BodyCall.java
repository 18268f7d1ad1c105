package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node that runs one graph of its own once, as {@code wrap_with_set_grad_enabled(enabled, body, inputs…)} does.
 * {@code torch.cond}, {@code while_loop} and {@code map} are none: how often they run which body, only a run tells.
 *
 * @param body what it runs
 * @param given what the body is given, in the order of its inputs
 */
public record BodyCall(Argument.Subgraph body, List<Argument> given) {
    public BodyCall {
        given = List.copyOf(given);
    }

    /** What the body's inputs are called outside. Such as are given a size or nothing are not among them. */
    public Map<String, String> bound() {
        Map<String, String> names = new HashMap<>();
        List<Graph.Input> inputs = body.graph().inputs();
        for (int i = 0; i < inputs.size() && i < given.size(); i++) {
            if (given.get(i) instanceof Argument.Value v) {
                names.put(inputs.get(i).value(), v.name());
            }
        }
        return names;
    }

    /** The call that a node is, or {@code null}. */
    public static @Nullable BodyCall of(Node node) {
        Argument.Subgraph body = null;
        List<Argument> given = new ArrayList<>();
        for (Node.NamedArgument a : node.arguments()) {
            boolean isBody = a.value() instanceof Argument.Subgraph;
            boolean several = isBody ? body != null : body != null && a.value() instanceof Argument.Values;
            if (several) {
                return null;
            }
            if (a.value() instanceof Argument.Subgraph s) {
                body = s;
            } else if (body != null) {
                given.add(a.value());
            }
        }
        return body == null ? null : new BodyCall(body, given);
    }
}
