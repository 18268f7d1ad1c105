package dev.headroom.executor.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls of containers that a model does not have: a slice such as {@code self.layers[1:]} makes a container of its own
 * (torch/nn/modules/container.py, Sequential.__getitem__), whose call leaves a line in the traces and nothing in the
 * stacks of modules.
 */
final class UnregisteredCalls {
    private static final String SEQUENTIAL = "torch.nn.modules.container.Sequential";
    private static final String PARENT = "super().forward(";

    private UnregisteredCalls() {}

    /** The modules that a node runs in, with such calls where its lines have a place for them. */
    static List<Node.ModuleCall> completed(Node n, List<SourceLine> lines) {
        List<Node.ModuleCall> stack = n.moduleStack();
        if (stack.isEmpty() || lines.size() <= stack.size() || !n.stackTrace().contains(SourceLine.CONTAINER)) {
            return stack;
        }
        List<Node.ModuleCall> out = new ArrayList<>(lines.size());
        int next = 0;
        for (int i = 0; i < lines.size(); i++) {
            boolean container = lines.get(i).inContainer();
            if (next < stack.size() && (!container || stack.get(next).type().equals(SEQUENTIAL))) {
                out.add(stack.get(next++));
            } else if (i > 0 && container) {
                String at = "@" + lines.get(i - 1).number();
                Node.ModuleCall caller = out.get(i - 1);
                out.add(new Node.ModuleCall(caller.call() + at, caller.path() + at, SEQUENTIAL));
            } else {
                return stack;
            }
        }
        return next == stack.size() ? out : stack;
    }

    /** Without the lines of {@code super().forward(…)}'s own calls, which belong to the same module. */
    static List<SourceLine> ofModules(List<SourceLine> lines) {
        List<SourceLine> out = new ArrayList<>(lines.size());
        for (int i = 0; i < lines.size(); i++) {
            if (i == 0 || !lines.get(i - 1).text().contains(PARENT)) {
                out.add(lines.get(i));
            }
        }
        return out;
    }
}
