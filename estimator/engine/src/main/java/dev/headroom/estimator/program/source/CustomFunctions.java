package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.GraphMemo;
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
    private static final GraphMemo<SortedMap<String, Integer>> READ = new GraphMemo<>(CustomFunctions::read);

    private CustomFunctions() {}

    /** How often each of them is called, by its name. */
    public static Map<String, Integer> of(Graph graph) {
        return READ.of(graph);
    }

    private static SortedMap<String, Integer> read(Graph graph) {
        SortedMap<String, Integer> calls = new TreeMap<>();
        TracedNodes traced = TracedNodes.of(graph);
        List<List<PythonFrame>> frames = traced.frames().all();
        Call before = null;
        for (int i = 0; i < frames.size(); i++) {
            // A frame more than there are modules is the function's own.
            boolean more = traced.frames().ofModules().get(i).isEmpty();
            Call call = more ? call(frames.get(i), traced.nodes().get(i).moduleStack()) : null;
            if (call != null && !call.equals(before)) {
                calls.merge(call.name(), 1, Integer::sum);
            }
            before = call;
        }
        return calls;
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
