package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls of plain functions and methods beside {@code forward}, where the traces of an archive hold their lines: an
 * exporter that was told to keeps all frames, and not those of {@code forward} alone. Each is a call in the module
 * stack of the nodes that run in it.
 */
public final class CalledFunctions {
    /** A running call of a function. */
    private record Running(Node.ModuleCall caller, TraceFrame at, TraceFrame first, Node.ModuleCall call) {}

    /** What traces say; layers of one class leave the same ones. */
    private final Map<String, List<TraceFrame>> read = new HashMap<>();

    private final List<Running> running = new ArrayList<>();
    private final List<TraceFrame> before = new ArrayList<>();
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
        List<TraceFrame> all = read.computeIfAbsent(n.stackTrace(), TraceFrame::all);
        List<TraceFrame> frames = counting(all);
        // The body of a function of its own, such as the backward of an autograd.Function, has no forward around it.
        boolean apart = all.stream().noneMatch(TraceFrame::isForward);
        if (apart || all.stream().allMatch(TraceFrame::isForward)) {
            running.clear();
            before.clear();
            return n;
        }
        List<Node.ModuleCall> stack = new ArrayList<>();
        int modules = 0;
        int depth = 0;
        for (int i = 0; i < frames.size(); i++) {
            TraceFrame f = frames.get(i);
            boolean parents = i > 0
                    && f.isForward()
                    && TraceFrame.callsParent(frames.get(i - 1).text());
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
    private static Node alone(Node n, List<TraceFrame> all) {
        return with(
                n, n.moduleStack(), all.stream().filter(TraceFrame::isForward).toList());
    }

    private static Node with(Node n, List<Node.ModuleCall> stack, List<TraceFrame> frames) {
        StringBuilder trace = new StringBuilder();
        frames.forEach(f -> trace.append(f.written()));
        return n.withModuleStack(stack).withStackTrace(trace.toString());
    }

    /**
     * The call that a frame is of: the running one, where the caller is the same at the same line and the function has
     * not come back to where it began, or cannot be called again.
     */
    private Node.ModuleCall call(int depth, Node.ModuleCall caller, TraceFrame at, TraceFrame now) {
        if (depth < running.size()) {
            Running known = running.get(depth);
            boolean same = known.caller.equals(caller)
                    && known.at.equals(at)
                    && known.first.function().equals(now.function())
                    && known.first.file().equals(now.file());
            if (same && (!now.equals(known.first) || before.contains(now) || at.callsOnce(now.function()))) {
                return known.call;
            }
            while (running.size() > depth) {
                running.remove(running.size() - 1);
            }
        }
        Node.ModuleCall made = new Node.ModuleCall(
                caller.call() + "#" + now.function() + calls++, caller.path(), Node.ModuleCall.FUNCTION);
        running.add(new Running(caller, at, now, made));
        return made;
    }

    /** Frames from the model's {@code forward} on. */
    private static List<TraceFrame> counting(List<TraceFrame> all) {
        List<TraceFrame> out = new ArrayList<>();
        for (TraceFrame f : all) {
            if (f.counts() && (f.isForward() || !out.isEmpty())) {
                out.add(f);
            }
        }
        return out;
    }
}
