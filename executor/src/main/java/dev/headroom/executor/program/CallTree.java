package dev.headroom.executor.program;

import dev.headroom.model.graph.CalledFunctions;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TraceFrame;
import dev.headroom.model.graph.UnregisteredCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The calls of modules, and of functions beside them, that a graph's nodes were traced in. */
final class CallTree {
    private final List<Call> calls = new ArrayList<>(List.of(Call.program()));
    private final Call[] callOf;
    private final Call.Step[] stepOf;
    private final Map<String, List<SourceLine>> frames = new HashMap<>();

    private CallTree(int nodes) {
        callOf = new Call[nodes];
        stepOf = new Call.Step[nodes];
    }

    static CallTree of(Graph graph) {
        List<Node> nodes = CalledFunctions.in(UnregisteredCalls.in(graph.nodes()));
        CallTree tree = new CallTree(nodes.size());
        Call at = tree.calls.get(0);
        for (int i = 0; i < nodes.size(); i++) {
            at = tree.add(i, nodes.get(i), at);
        }
        return tree;
    }

    private Call add(int i, Node node, Call before) {
        List<SourceLine> traced = frames.computeIfAbsent(
                node.stackTrace(), trace -> TraceFrame.withoutParents(SourceLine.frames(trace), SourceLine::text));
        List<Node.ModuleCall> stack = node.moduleStack();
        List<SourceLine> lines = aroundSegment(stack, traced);
        Call at = before;
        if (!stack.isEmpty()) { // without one it is arithmetic on sizes, which interrupts nobody
            while (at.depth > stack.size() || at.site != null && !runs(stack.get(at.depth - 1), at.site)) {
                at = at.given().parent();
            }
            at = common(at, stack);
        }
        while (at.depth < stack.size()) {
            at = at.enter(stack.get(at.depth), line(lines, at.depth));
            calls.add(at);
        }
        callOf[i] = at;
        stepOf[i] = at.operator(i, stack.isEmpty() ? SourceLine.UNKNOWN : line(lines, at.depth));
        return at;
    }

    /**
     * The lines by call: a segment of a checkpointed chain, which no program has, has none, and the lines of containers
     * that it is made of belong to nobody.
     */
    private static List<SourceLine> aroundSegment(List<Node.ModuleCall> stack, List<SourceLine> traced) {
        int segment = 0;
        while (segment < stack.size() && !Call.isSegment(stack.get(segment))) {
            segment++;
        }
        if (segment >= Math.min(stack.size(), traced.size())) {
            return traced;
        }
        int inside = stack.size() - segment - 1;
        List<SourceLine> out = new ArrayList<>(traced.subList(0, segment));
        out.add(SourceLine.UNKNOWN);
        out.addAll(traced.subList(Math.max(segment, traced.size() - inside), traced.size()));
        return out;
    }

    /** The innermost running call, from {@code at} outwards, whose callers all are in the stack. */
    private static Call common(Call at, List<Node.ModuleCall> stack) {
        Call lowest = at;
        for (Call c = at; c.site != null; c = c.site.parent()) {
            if (!runs(stack.get(c.depth - 1), c.site)) {
                lowest = c.site.parent();
            }
        }
        return lowest;
    }

    private static boolean runs(Node.ModuleCall module, Call.Site site) {
        return module.call().equals(site.module().call());
    }

    /** Frame 0 is the model's, whose caller is the program. */
    private static SourceLine line(List<SourceLine> lines, int depth) {
        return depth > 0 && depth <= lines.size() ? lines.get(depth - 1) : SourceLine.UNKNOWN;
    }

    /** All calls, callers first. */
    List<Call> calls() {
        return calls;
    }

    /** The innermost call that a node ran in. */
    Call callOf(int node) {
        return callOf[node];
    }

    /** The innermost call that two nodes ran in. */
    Call commonCall(int a, int b) {
        Call x = callOf[a];
        Call y = callOf[b];
        while (x != y) {
            if (x.depth >= y.depth) {
                x = x.given().parent();
            } else {
                y = y.given().parent();
            }
        }
        return x;
    }

    /** What a call did when a node in it ran. */
    Call.Step stepIn(Call call, int node) {
        Call.Step step = stepOf[node];
        for (Call c = callOf[node]; c != call; c = c.given().parent()) {
            step = c.given().step();
        }
        return step;
    }
}
