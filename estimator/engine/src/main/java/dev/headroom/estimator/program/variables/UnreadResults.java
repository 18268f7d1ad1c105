package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.model.graph.Node;
import java.util.List;

/**
 * What a function computes and nobody reads: {@code colour, _ = march(x)}. A caller's variable holds it all the same.
 * The {@code return} runs no operator, so no line shows it.
 */
final class UnreadResults {
    private static final int UNKNOWN = -1;

    private final List<Node> nodes;
    private final UnpackedNames unpacked;
    private final PythonVariables variables;

    UnreadResults(List<Node> nodes, UnpackedNames unpacked, PythonVariables variables) {
        this.nodes = nodes;
        this.unpacked = unpacked;
        this.variables = variables;
    }

    /** The last node that runs while it is held, or -1. */
    int heldUntil(int made, int output, int depth) {
        String value = nodes.get(made).outputs().get(output);
        PythonFrame own = variables.frame(made, depth);
        int d = depth;
        if (own.assigned().size() == 1 && depth > 0) {
            int end = variables.statementEnd(made, depth);
            boolean held = variables.rebound(own.assigned().get(0), end + 1, made, depth) == variables.callEnd(made, d);
            d = held && end == made ? depth - 1 : -1;
        }
        String name = d < 0 || variables.isRead(value, made) ? null : unpacked.unread(value, made, d);
        return name == null ? UNKNOWN : variables.kept(value, name, made, d);
    }
}
