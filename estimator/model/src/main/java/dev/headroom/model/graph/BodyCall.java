package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.List;
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
