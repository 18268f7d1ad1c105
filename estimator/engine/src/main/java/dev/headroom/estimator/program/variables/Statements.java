package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.estimator.program.source.SpelledCalls;
import dev.headroom.model.graph.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which nodes one run of a statement makes, in each of the calls that are on the way to it. */
final class Statements {
    /** Where nothing is known of a node's lines. */
    static final int UNKNOWN = -1;

    private final List<Node> nodes;
    private final List<List<PythonFrame>> frames;
    private final int[][] callEnd;

    /** By node, then depth: one more than the last node of the statement that runs in that frame, once it is known. */
    private final int[][] ends;

    Statements(List<Node> nodes, List<List<PythonFrame>> frames, int[][] callEnd) {
        this.nodes = nodes;
        this.frames = frames;
        this.callEnd = callEnd;
        this.ends = new int[nodes.size()][];
    }

    /** First node of the statement that runs at a depth and ends at a node. */
    int start(int node, int depth, int end) {
        int start = node;
        while (start > 0 && frames.get(start - 1).size() > depth && end(start - 1, depth) == end) {
            start--;
        }
        return start;
    }

    /** Last node of the statement that runs at a depth. */
    int end(int node, int depth) {
        if (frames.get(node).size() <= depth) {
            return UNKNOWN;
        }
        if (known(node)[depth] == 0) {
            int start = node;
            while (start > 0 && continues(start - 1, start, depth)) {
                start--;
            }
            while (known(node)[depth] == 0) {
                int end = findStatementEnd(start, depth);
                for (int i = start; i <= end; i++) {
                    known(i)[depth] = end + 1;
                }
                start = end + 1;
            }
        }
        return known(node)[depth] - 1;
    }

    private int[] known(int node) {
        if (ends[node] == null) {
            ends[node] = new int[frames.get(node).size()];
        }
        return ends[node];
    }

    /** Whether a node runs in the same line and call as the one before it. */
    private boolean continues(int before, int node, int depth) {
        return frames.get(before).size() > depth
                && callEnd[before].length > depth
                && callEnd[before][depth] == callEnd[node][depth]
                && frames.get(before).get(depth).sameStatement(frames.get(node).get(depth));
    }

    /**
     * The end of a statement that begins with a node: the following ones of the same call and line. A loop over modules
     * runs its line once an iteration.
     */
    private int findStatementEnd(int node, int depth) {
        PythonFrame line = frames.get(node).get(depth);
        SpelledCalls calls = new SpelledCalls(line.text());
        int end = node;
        String child = child(node, depth);
        if (child != null) {
            call(calls, node, depth);
        }
        while (end < callEnd[node][depth]) {
            int next = end + 1;
            if (frames.get(next).size() <= depth || !frames.get(next).get(depth).sameStatement(line)) {
                break;
            }
            String called = child(next, depth);
            if (called != null && !called.equals(child) && !call(calls, next, depth)) {
                break;
            }
            child = called == null ? child : called;
            end = next;
        }
        return end;
    }

    /** Segments of a checkpointed chain call their modules one after another, whatever container they come from. */
    private boolean call(SpelledCalls calls, int node, int depth) {
        List<Node.ModuleCall> stack = nodes.get(node).moduleStack();
        return stack.get(depth).type().isEmpty() || stack.get(depth + 1).type().isEmpty()
                ? frames.get(node).get(depth).text().contains("self.")
                : calls.add(stack.get(depth).path(), stack.get(depth + 1).path());
    }

    private @Nullable String child(int node, int depth) {
        List<Node.ModuleCall> stack = nodes.get(node).moduleStack();
        return depth + 1 < stack.size() ? stack.get(depth + 1).call() : null;
    }
}
