package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Calls of PyTorch's modules that are no part of the model: {@code nn.Softmax(dim=-1)(scores)} makes one on the spot,
 * {@code self.layers[:-1](x)} a container (torch/nn/modules/container.py). They leave a frame in the traces and no
 * module in the module stacks.
 */
public final class UnregisteredCalls {
    private static final Pattern LIBRARY = Pattern.compile("(?:^|.*/)torch/nn/modules/(\\w+)\\.py");
    private static final String IN_FORWARD = ", in forward";
    private static final String TYPES = "torch.nn.modules.";
    private static final String CONTAINER = "container";
    private static final String SEQUENTIAL = TYPES + CONTAINER + ".Sequential";

    /** By trace: its frames of {@code forward}, one a module's call. */
    private final Map<String, List<TraceFrame>> read = new HashMap<>();

    private UnregisteredCalls() {}

    /** The nodes, with such calls in their module stacks where the frames of their traces have a place for them. */
    public static List<Node> in(List<Node> nodes) {
        UnregisteredCalls reader = new UnregisteredCalls();
        List<Node> out = new ArrayList<>(nodes.size());
        for (Node n : nodes) {
            boolean mayLack = n.stackTrace().contains("torch/nn/modules/")
                    && frames(n) > n.moduleStack().size();
            out.add(mayLack ? reader.completed(n) : n);
        }
        return out;
    }

    /** How many frames of {@code forward} a node's trace has, those of parent classes among them. */
    private static int frames(Node n) {
        int frames = 0;
        for (int at = n.stackTrace().indexOf(IN_FORWARD);
                at >= 0;
                at = n.stackTrace().indexOf(IN_FORWARD, at + 1)) {
            frames++;
        }
        return frames;
    }

    private Node completed(Node n) {
        List<TraceFrame> frames = read.computeIfAbsent(n.stackTrace(), UnregisteredCalls::calls);
        List<Node.ModuleCall> stack = n.moduleStack();
        if (frames.size() <= stack.size() || stack.isEmpty()) {
            return n;
        }
        List<Node.ModuleCall> out = new ArrayList<>(frames.size());
        int next = 0;
        for (int i = 0; i < frames.size(); i++) {
            Matcher library = LIBRARY.matcher(frames.get(i).file());
            boolean mayBeOwn = library.matches();
            boolean registered =
                    next < stack.size() && (!mayBeOwn || isOf(stack.get(next).type(), library.group(1)));
            if (!registered && (i == 0 || !mayBeOwn)) {
                return n;
            }
            out.add(registered ? stack.get(next++) : call(out.get(i - 1), frames.get(i - 1), library.group(1)));
        }
        return next == stack.size() ? n.withModuleStack(out) : n;
    }

    /** Whether the {@code forward} of a class is in a file of PyTorch's. */
    private static boolean isOf(String type, String file) {
        return file.equals(CONTAINER) ? type.equals(SEQUENTIAL) : type.startsWith(TYPES + file + ".");
    }

    private static List<TraceFrame> calls(String trace) {
        List<TraceFrame> forward =
                TraceFrame.all(trace).stream().filter(TraceFrame::isForward).toList();
        return TraceFrame.withoutParents(forward, TraceFrame::text);
    }

    /** A call is known by who makes it, and where. */
    private static Node.ModuleCall call(Node.ModuleCall caller, TraceFrame at, String file) {
        String place = "@" + at.line();
        String type = file.equals(CONTAINER) ? SEQUENTIAL : TYPES + file;
        return new Node.ModuleCall(caller.call() + place, caller.path() + place, type);
    }
}
