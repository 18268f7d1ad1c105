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

    /** Statements of more lines than these are taken line by line. */
    private static final int MOST_LINES = 60;

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
            int at = node;
            while (at > 0 && Lifetimes.sameCall(callEnd, at - 1, node, depth) && !isKnown(at - 1, depth)) {
                at--;
            }
            while (at <= node) {
                int end = frames.get(at).size() > depth ? findStatementEnd(at, depth) : at;
                for (int i = at; i <= end; i++) {
                    if (frames.get(i).size() > depth) {
                        known(i)[depth] = end + 1;
                    }
                }
                at = end + 1;
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

    private boolean isKnown(int node, int depth) {
        return frames.get(node).size() > depth && known(node)[depth] != 0;
    }

    /**
     * The end of a statement that begins with a node: the following ones of the same call and line. A loop over modules
     * runs its line once an iteration.
     */
    private int findStatementEnd(int node, int depth) {
        PythonFrame line = frames.get(node).get(depth);
        SpelledCalls calls = new SpelledCalls(line.text());
        int end = runEnd(node, depth, calls);
        int back = line.isUnfinished() ? goesOn(end, depth, line) : UNKNOWN;
        int last = back == UNKNOWN ? UNKNOWN : runEnd(back, depth, calls);
        // Where the lines come again, a loop runs them, and it cannot be told where its turns begin.
        return last == UNKNOWN || last < callEnd[node][depth] && isAgain(end + 1, back, last + 1, depth) ? end : last;
    }

    /** The last node of those that run on a node's line from there on. */
    private int runEnd(int node, int depth, SpelledCalls calls) {
        PythonFrame line = frames.get(node).get(depth);
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

    /**
     * The node that goes on with a statement on its first line, after arguments that stand on lines of their own:
     * {@code torch.cat([f(x),} has its call run when all have been computed. {@link #UNKNOWN} where none does.
     */
    private int goesOn(int end, int depth, PythonFrame line) {
        int i = end + 1;
        while (i <= callEnd[end][depth] && isWithin(i, depth, line)) {
            i++;
        }
        return i > end + 1
                        && i <= callEnd[end][depth]
                        && frames.get(i).size() > depth
                        && frames.get(i).get(depth).sameStatement(line)
                ? i
                : UNKNOWN;
    }

    /** Whether a node runs on one of the lines that a range of nodes does. */
    private boolean isAgain(int from, int to, int node, int depth) {
        for (int i = from; i < to; i++) {
            if (frames.get(node).size() > depth
                    && frames.get(i).get(depth).line()
                            == frames.get(node).get(depth).line()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a node runs on a later line that may belong to the statement which a line begins. */
    private boolean isWithin(int node, int depth, PythonFrame line) {
        if (frames.get(node).size() <= depth) {
            return false;
        }
        PythonFrame frame = frames.get(node).get(depth);
        return frame.line() > line.line()
                && frame.line() <= line.line() + MOST_LINES
                && frame.assigned().isEmpty();
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
