package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Calls of plain functions and methods beside {@code forward}, where the traces of an archive hold their lines: an
 * exporter that was told to keeps all frames, and not those of {@code forward} alone. Each is a call in the module
 * stack of the nodes that run in it.
 */
public final class CalledFunctions {
    private static final Pattern FRAME =
            Pattern.compile("File \"([^\"]*)\", line (\\d+), in ([^\\n]*)\\n\\s*([^\\n]*)");
    private static final Pattern OF_PYTORCH = Pattern.compile("(?:^|.*/)torch/.*");
    private static final String FORWARD = "forward";

    /** A frame of a trace, with the name of its function. */
    private record Frame(String file, int line, String function, String text) {
        boolean isForward() {
            return function.equals(FORWARD);
        }

        /** Frames of PyTorch's own functions and of comprehensions hold no variables of the model's code. */
        boolean counts() {
            return isForward() || !OF_PYTORCH.matcher(file).matches() && !function.startsWith("<");
        }

        /** Whether no loop calls the function from this line: nothing runs behind a {@code return}. */
        boolean callsOnce(String called) {
            int first = text.indexOf(called + "(");
            return text.startsWith("return ")
                    && first >= 0
                    && first == text.lastIndexOf(called + "(")
                    && !text.contains(" for ");
        }
    }

    /** A running call of a function. */
    private record Running(Node.ModuleCall caller, Frame at, Frame first, Node.ModuleCall call) {}

    /** What traces say; layers of one class leave the same ones. */
    private final Map<String, List<Frame>> read = new HashMap<>();

    private final List<Running> running = new ArrayList<>();
    private final List<Frame> before = new ArrayList<>();
    private int calls;

    private CalledFunctions() {}

    /** The nodes, with such calls in their module stacks, and their traces without all other frames. */
    public static List<Node> in(List<Node> nodes) {
        CalledFunctions reader = new CalledFunctions();
        List<Node> out = new ArrayList<>(nodes.size());
        for (Node n : nodes) {
            out.add(reader.completed(n));
        }
        return out;
    }

    private Node completed(Node n) {
        List<Frame> all = read.computeIfAbsent(n.stackTrace(), CalledFunctions::all);
        List<Frame> frames = counting(all);
        // The body of a function of its own, such as the backward of an autograd.Function, has no forward around it.
        boolean apart = all.stream().noneMatch(Frame::isForward);
        if (apart || all.stream().allMatch(Frame::isForward)) {
            running.clear();
            before.clear();
            return n;
        }
        List<Node.ModuleCall> stack = new ArrayList<>();
        int modules = 0;
        int depth = 0;
        for (int i = 0; i < frames.size(); i++) {
            Frame f = frames.get(i);
            boolean parents = i > 0 && f.isForward() && frames.get(i - 1).text().contains("super().forward(");
            if (parents) {
                continue;
            }
            if (f.isForward()) {
                if (modules == n.moduleStack().size()) {
                    return alone(n, all); // frames and modules do not match
                }
                stack.add(n.moduleStack().get(modules++));
            } else {
                stack.add(call(depth++, stack.get(stack.size() - 1), frames.get(i - 1), f));
            }
        }
        while (running.size() > depth) {
            running.remove(running.size() - 1);
        }
        before.clear();
        before.addAll(frames);
        return modules == n.moduleStack().size() ? with(n, stack, frames) : alone(n, all);
    }

    /** With the frames of {@code forward} alone, as exporters write them by themselves. */
    private static Node alone(Node n, List<Frame> all) {
        return with(n, n.moduleStack(), all.stream().filter(Frame::isForward).toList());
    }

    private static Node with(Node n, List<Node.ModuleCall> stack, List<Frame> frames) {
        StringBuilder trace = new StringBuilder();
        for (Frame f : frames) {
            trace.append("File \"" + f.file + "\", line " + f.line + ", in " + f.function + "\n    " + f.text + "\n");
        }
        return n.withModuleStack(stack).withStackTrace(trace.toString());
    }

    /**
     * The call that a frame is of: the running one, where the caller is the same at the same line and the function has
     * not come back to where it began, or cannot be called again.
     */
    private Node.ModuleCall call(int depth, Node.ModuleCall caller, Frame at, Frame now) {
        if (depth < running.size()) {
            Running known = running.get(depth);
            boolean same = known.caller.equals(caller)
                    && known.at.equals(at)
                    && known.first.function.equals(now.function)
                    && known.first.file.equals(now.file);
            if (same && (!now.equals(known.first) || before.contains(now) || at.callsOnce(now.function))) {
                return known.call;
            }
            while (running.size() > depth) {
                running.remove(running.size() - 1);
            }
        }
        Node.ModuleCall made = new Node.ModuleCall(
                caller.call() + "#" + now.function + calls++, caller.path(), Node.ModuleCall.FUNCTION);
        running.add(new Running(caller, at, now, made));
        return made;
    }

    private static List<Frame> all(String trace) {
        List<Frame> out = new ArrayList<>();
        Matcher m = FRAME.matcher(trace);
        while (m.find()) {
            out.add(new Frame(
                    m.group(1),
                    Integer.parseInt(m.group(2)),
                    m.group(3).strip(),
                    m.group(4).strip()));
        }
        return out;
    }

    /** Frames from the model's {@code forward} on. */
    private static List<Frame> counting(List<Frame> all) {
        List<Frame> out = new ArrayList<>();
        for (Frame f : all) {
            if (f.counts() && (f.isForward() || !out.isEmpty())) {
                out.add(f);
            }
        }
        return out;
    }
}
