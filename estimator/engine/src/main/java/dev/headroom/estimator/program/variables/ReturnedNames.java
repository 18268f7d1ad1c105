package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.model.graph.Node;
import java.util.List;

/**
 * What a module returns beside what its caller reads, as attention returns its weights: the caller's variables hold it
 * all the same. It is told by a line such as {@code return self.proj(x), attn}, and by where the caller puts that.
 */
final class ReturnedNames {
    private static final int UNKNOWN = -1;

    private final List<Node> nodes;
    private final UnreadResults unread;
    private final PythonVariables variables;

    ReturnedNames(List<Node> nodes, UnpackedNames unpacked, PythonVariables variables) {
        this.nodes = nodes;
        this.unread = new UnreadResults(nodes, unpacked, variables);
        this.variables = variables;
    }

    /**
     * The last node that runs while a caller's variable holds a value that the call's own variable gives it, or -1.
     *
     * @param depth of the call that made it and returns it
     */
    int heldUntil(int made, int output, int depth) {
        int last = depth > 0 ? variables.callEnd(made, depth) : made;
        PythonFrame line = variables.frame(last, depth);
        if (!line.returns() || variables.frame(made, depth).assigned().size() > 1) {
            return unread.heldUntil(made, output, depth);
        }
        if (last == made || variables.statementEnd(made, depth) != made) {
            return UNKNOWN;
        }
        List<String> names = variables.frame(made, depth).assigned();
        String name = names.isEmpty() ? "" : names.get(0);
        List<String> returned = line.returned();
        int place = returned.indexOf(name);
        if (place < 0 || returned.size() == 1 || variables.rebound(name, made + 1, made, depth) < last) {
            return UNKNOWN;
        }
        return heldByCaller(made, output, depth - 1, place, returned.size());
    }

    private int heldByCaller(int made, int output, int depth, int place, int results) {
        for (int d = depth; d >= 0; d--) {
            PythonFrame caller = variables.frame(made, d);
            List<String> names = caller.assigned();
            if (!caller.text().contains(callee(made, d) + "(") || !caller.isOneCall()) {
                return UNKNOWN;
            }
            if (!names.isEmpty()) {
                boolean apart = names.size() == results;
                return apart || names.size() == 1
                        ? variables.kept(nodes.get(made).outputs().get(output), names.get(apart ? place : 0), made, d)
                        : UNKNOWN;
            }
            if (!caller.returns()) {
                return UNKNOWN;
            }
        }
        return UNKNOWN;
    }

    /** The last part of the name of the module that a call at a depth calls; "" for one of a list. */
    private String callee(int made, int depth) {
        String path = nodes.get(made).moduleStack().get(depth + 1).path();
        String name = path.substring(path.lastIndexOf('.') + 1);
        return name.matches("\\d+") ? "" : name;
    }
}
