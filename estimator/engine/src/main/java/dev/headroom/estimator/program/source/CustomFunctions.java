package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a {@code torch.autograd.Function} in an exported program. torch.export traces through them: what they keep
 * for their backward pass, and what that computes, is in no graph. Programs that Headroom's Python package records hold
 * both.
 */
public final class CustomFunctions {
    private static final Pattern CALL = Pattern.compile("\\b([A-Z]\\w*)\\.apply\\(");
    private static final GraphMemo<List<Traced>> READ = new GraphMemo<>(CustomFunctions::read);

    private CustomFunctions() {}

    /**
     * A call that an exporter has traced through.
     *
     * @param name of the class
     * @param from its first node
     * @param to one behind its last node
     */
    public record Traced(String name, int from, int to) {}

    /** How often each of them is called, by its name: of those whose backward pass is not in the graph. */
    public static Map<String, Integer> of(Graph graph) {
        SortedMap<String, Integer> calls = new TreeMap<>();
        traced(graph).forEach(call -> calls.merge(call.name(), 1, Integer::sum));
        for (Node node : graph.nodes()) {
            if (AssumedFunctions.isOne(node)) {
                calls.merge(CustomFunctionNode.of(node).name(), 1, Integer::sum);
            }
        }
        return calls;
    }

    /** Those that an exporter has traced through, in order. */
    static List<Traced> traced(Graph graph) {
        return READ.of(graph);
    }

    private static List<Traced> read(Graph graph) {
        List<Traced> calls = new ArrayList<>();
        TracedNodes traced = TracedNodes.of(graph);
        List<List<PythonFrame>> frames = traced.frames().all();
        Call before = null;
        int from = 0;
        for (int i = 0; i <= frames.size(); i++) {
            // A frame more than there are modules is the function's own.
            boolean more =
                    i < frames.size() && traced.frames().ofModules().get(i).isEmpty();
            Call call = more ? call(frames.get(i), traced.nodes().get(i).moduleStack()) : null;
            if (before != null && !before.equals(call)) {
                calls.add(new Traced(before.name(), from, i));
            }
            from = before != null && before.equals(call) ? from : i;
            before = call;
        }
        return List.copyOf(calls);
    }

    private record Call(String name, PythonFrame line, List<?> modules) {}

    /** The call that an operator runs in: below its line there is that of the function's {@code forward}. */
    private static @Nullable Call call(List<PythonFrame> frames, List<?> modules) {
        for (int i = 0; i + 1 < frames.size(); i++) {
            Matcher m = CALL.matcher(frames.get(i).text());
            if (m.find()) {
                return new Call(m.group(1), frames.get(i), modules);
            }
        }
        return null;
    }
}
