package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TraceFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The lines of Python that the nodes of a graph came from; of a line that several statements share, a node has its own
 * one where that can be told.
 *
 * @param all by node: every frame of its trace
 * @param ofModules by node: a frame a module that runs, none where the trace's frames do not match the modules
 */
public record ModuleFrames(List<List<PythonFrame>> all, List<List<PythonFrame>> ofModules) {
    /** Reads the traces of all nodes. */
    public static ModuleFrames of(List<Node> nodes) {
        List<List<PythonFrame>> all = new ArrayList<>(nodes.size());
        List<List<PythonFrame>> out = new ArrayList<>(nodes.size());
        Map<String, Optional<PythonFrame>> known = new HashMap<>();
        Map<String, List<PythonFrame>> traces = new HashMap<>();
        Map<String, List<PythonFrame>> ofCalls = new HashMap<>();
        for (Node n : nodes) {
            List<PythonFrame> parsed = traces.computeIfAbsent(n.stackTrace(), t -> PythonFrame.parse(t, known));
            List<PythonFrame> own =
                    ofCalls.computeIfAbsent(n.stackTrace(), t -> TraceFrame.withoutParents(parsed, PythonFrame::text));
            all.add(parsed);
            out.add(own.size() == n.moduleStack().size() ? own : List.of());
        }
        separate(nodes, out);
        return new ModuleFrames(all, out);
    }

    /** Gives the nodes of a line with several statements the frame of their own one, where that can be told. */
    private static void separate(List<Node> nodes, List<List<PythonFrame>> frames) {
        Map<String, List<String>> split = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (int depth = 0; depth < frames.get(i).size(); depth++) {
                PythonFrame line = frames.get(i).get(depth);
                if (i > 0 && sameLine(nodes, frames, i - 1, i, depth)) {
                    continue;
                }
                List<String> statements = split.computeIfAbsent(line.text(), LineStatements::split);
                if (statements.size() > 1
                        || statements.size() == 1 && !statements.get(0).equals(line.text())) {
                    separate(nodes, frames, i, depth, statements);
                }
            }
        }
    }

    private static void separate(
            List<Node> nodes, List<List<PythonFrame>> frames, int first, int depth, List<String> statements) {
        PythonFrame line = frames.get(first).get(depth);
        List<String> steps = new ArrayList<>();
        List<Integer> stepOf = new ArrayList<>();
        String called = "";
        int end = first;
        for (; end < nodes.size() && (end == first || sameLine(nodes, frames, end - 1, end, depth)); end++) {
            List<Node.ModuleCall> stack = nodes.get(end).moduleStack();
            String call = stack.size() > depth + 1 ? stack.get(depth + 1).call() : "";
            if (call.isEmpty() && nodes.get(end).operator().startsWith("aten._assert")) {
                stepOf.add(steps.size()); // it checks what the next one converts
                called = "";
                continue;
            }
            if (call.isEmpty() || !call.equals(called)) {
                String name = call.isEmpty()
                        ? nodes.get(end).operator().replaceFirst("(?<=[a-z0-9])_$", "")
                        : stack.get(depth + 1).path().replaceFirst("(\\.\\d+)+$", "");
                steps.add(name.substring(name.lastIndexOf('.') + 1));
            }
            called = call;
            stepOf.add(steps.size() - 1);
        }
        int[] places = steps.isEmpty() ? null : LineStatements.assign(statements, steps);
        for (int i = first; places != null && i < end; i++) {
            int place = places[Math.min(stepOf.get(i - first), steps.size() - 1)];
            String text = statements.get(place % statements.size());
            List<PythonFrame> own = new ArrayList<>(frames.get(i));
            own.set(depth, new PythonFrame(line.file(), line.line(), text, PythonFrame.assigned(text), place));
            frames.set(i, own);
        }
    }

    private static boolean sameLine(List<Node> nodes, List<List<PythonFrame>> frames, int a, int b, int depth) {
        return Math.min(frames.get(a).size(), frames.get(b).size()) > depth
                && frames.get(a).get(depth).line() == frames.get(b).get(depth).line()
                && nodes.get(a)
                        .moduleStack()
                        .get(depth)
                        .call()
                        .equals(nodes.get(b).moduleStack().get(depth).call());
    }
}
