package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls of containers that are no part of the model, such as {@code self.layers[:-1](x)}: a slice makes a container of
 * its own (torch/nn/modules/container.py), whose call leaves a frame in the traces and no module in the module stacks.
 */
public final class UnregisteredCalls {
    private static final String CONTAINER = "torch/nn/modules/container.py";
    private static final String SEQUENTIAL = "torch.nn.modules.container.Sequential";

    private UnregisteredCalls() {}

    /** The nodes, with such calls in their module stacks where the frames of their traces have a place for them. */
    public static List<Node> in(List<Node> nodes) {
        List<Node> out = new ArrayList<>(nodes.size());
        for (Node n : nodes) {
            out.add(n.stackTrace().contains(CONTAINER) ? completed(n) : n);
        }
        return out;
    }

    private static Node completed(Node n) {
        List<PythonFrame> frames = ModuleFrames.withoutParents(PythonFrame.parse(n.stackTrace()));
        List<Node.ModuleCall> stack = n.moduleStack();
        if (frames.size() <= stack.size() || stack.isEmpty()) {
            return n;
        }
        List<Node.ModuleCall> out = new ArrayList<>(frames.size());
        int next = 0;
        for (int i = 0; i < frames.size(); i++) {
            boolean registered = next < stack.size()
                    && (!frames.get(i).file().endsWith(CONTAINER)
                            || stack.get(next).type().equals(SEQUENTIAL));
            if (!registered && (i == 0 || !frames.get(i).file().endsWith(CONTAINER))) {
                return n;
            }
            out.add(registered ? stack.get(next++) : call(out.get(i - 1), frames.get(i - 1)));
        }
        return next == stack.size() ? n.withModuleStack(out) : n;
    }

    /** A call is known by who makes it, and where. */
    private static Node.ModuleCall call(Node.ModuleCall caller, PythonFrame at) {
        return new Node.ModuleCall(caller.call() + "@" + at.line(), caller.path() + "@" + at.line(), SEQUENTIAL);
    }
}
