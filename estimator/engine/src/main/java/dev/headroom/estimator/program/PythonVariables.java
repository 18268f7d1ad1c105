package dev.headroom.estimator.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Local variables of the modules' {@code forward} functions, read off the source lines in the stack traces. A value
 * that a line assigns to a name lives until the name is assigned again in the same call, or until the call returns,
 * even when nothing reads it any more.
 *
 * <p>Only functions named {@code forward} leave frames in an archive, one a module call; where the frames of a node do
 * not match its modules, nothing is known of its variables.
 */
final class PythonVariables {
    private static final int UNKNOWN = -1;

    private final List<Node> nodes;
    private final int[][] callEnd;
    private final Map<String, Integer> lastUses;
    private final Map<String, Integer> producers = new HashMap<>();
    private final List<List<PythonFrame>> frames;

    private final HiddenNames hidden;

    /** By depth, then node: last node of the statement that runs in that frame. */
    private final Map<Long, Integer> statementEnds = new HashMap<>();

    /** @param lastUses by value: the last node that reads it, or else the one that makes it */
    PythonVariables(List<Node> nodes, int[][] callEnd, Map<String, Integer> lastUses) {
        this.nodes = nodes;
        this.lastUses = Map.copyOf(lastUses);
        this.callEnd = callEnd;
        for (int i = 0; i < nodes.size(); i++) {
            for (String out : nodes.get(i).outputs()) {
                producers.put(out, i);
            }
        }
        this.frames = new ArrayList<>(nodes.size());
        for (Node n : nodes) {
            List<PythonFrame> parsed = withoutParents(PythonFrame.parse(n.stackTrace()));
            frames.add(parsed.size() == n.moduleStack().size() ? parsed : List.of());
        }
        this.hidden = new HiddenNames(nodes, frames, callEnd);
    }

    /** Without the frames that {@code super().forward(…)} opens: they belong to the same module's call. */
    private static List<PythonFrame> withoutParents(List<PythonFrame> parsed) {
        List<PythonFrame> out = new ArrayList<>(parsed.size());
        for (int i = 0; i < parsed.size(); i++) {
            if (i == 0 || !parsed.get(i - 1).text().contains("super().forward(")) {
                out.add(parsed.get(i));
            }
        }
        return out;
    }

    /**
     * Until when a variable holds a value.
     *
     * @param made the node that makes it
     * @param output which of that node's results it is
     * @param lastUse the last node that reads it
     * @return the last node that runs while it is held, at least {@code lastUse}
     */
    int heldUntil(int made, int output, int lastUse) {
        int depth = frames.get(made).size() - 1;
        while (depth >= 0 && callEnd[made][depth] < lastUse) {
            depth--; // it leaves this call as a result
        }
        if (depth < 0) {
            return lastUse;
        }
        int returned = returnedUnread(made, output, depth);
        if (returned >= lastUse) {
            return returned;
        }
        int end = statementEnd(made, depth);
        PythonFrame line = frames.get(made).get(depth);
        if (lastUse <= end) { // a temporary of the statement
            String operator = nodes.get(made).operator();
            String reader = nodes.get(lastUse).operator();
            return LibraryVariables.hold(line.text(), operator, operand(made), reader) ? end : lastUse;
        }
        List<String> names = line.assigned();
        if (names.isEmpty()) {
            String name = hidden.name(nodes.get(made).outputs().get(output), made, depth, end);
            return name == null ? lastUse : Math.max(lastUse, rebound(name, end + 1, made, depth));
        }
        boolean several = names.size() > 1 && nodes.get(made).outputs().size() == names.size();
        int position = several ? output : position(made, output, depth, names.size());
        return Math.max(lastUse, rebound(names.get(position), end + 1, made, depth));
    }

    /**
     * Until when the callers' variables hold a result that nothing reads, or -1. What a function assigns to a name and
     * never reads it returns, as recurrent layers do with their states.
     */
    private int returnedUnread(int made, int output, int depth) {
        PythonFrame own = frames.get(made).get(depth);
        if (depth > 0 && LibraryVariables.routes(frames.get(made).get(depth - 1).text())) {
            return own.assigned().contains(LibraryVariables.ROUTED) ? callEnd[made][depth - 1] : UNKNOWN;
        }
        boolean unread = lastUses.getOrDefault(nodes.get(made).outputs().get(output), made) == made;
        int d = depth;
        while (unread && d > 0 && (d < depth || !own.assigned().isEmpty() || own.returns())) {
            PythonFrame caller = frames.get(made).get(--d);
            List<String> names = caller.assigned();
            if (names.size() > 1) {
                boolean one = nodes.get(made).outputs().size() == 1;
                String name = names.get(one ? names.size() - 1 : Math.min(output, names.size() - 1));
                return rebound(name, statementEnd(made, d) + 1, made, d);
            }
            if (!caller.returns()) {
                return names.isEmpty() || caller.takesPart()
                        ? callEnd[made][d + 1]
                        : rebound(names.get(0), statementEnd(made, d) + 1, made, d);
            }
        }
        return UNKNOWN;
    }

    /**
     * Which of several names a value is assigned to: {@code q, k = f(q), f(k)} makes as many values as names that are
     * read later. Where it does not, the first.
     */
    private int position(int made, int output, int depth, int names) {
        if (names == 1) {
            return 0;
        }
        int end = statementEnd(made, depth);
        int start = made;
        while (start > 0 && frames.get(start - 1).size() > depth && statementEnd(start - 1, depth) == end) {
            start--;
        }
        List<String> read = new ArrayList<>(names);
        for (int i = start; i <= end; i++) {
            for (String value : nodes.get(i).outputs()) {
                if (value != null && lastUses.getOrDefault(value, i) > end) {
                    read.add(value);
                }
            }
        }
        int at = read.indexOf(nodes.get(made).outputs().get(output));
        return read.size() == names && at >= 0 ? at : 0;
    }

    /** The operator that made a node's first operand, or "" for none. */
    private String operand(int node) {
        List<String> reads = nodes.get(node).reads();
        Integer made = reads.isEmpty() ? null : producers.get(reads.get(0));
        return made == null ? "" : nodes.get(made).operator();
    }

    /** End of the statement that gives a name another value, or of the call. */
    private int rebound(String name, int from, int made, int depth) {
        int callEnds = callEnd[made][depth];
        int i = from;
        while (i <= callEnds) {
            int end = statementEnd(i, depth);
            if (end == UNKNOWN) {
                i++;
                continue;
            }
            if (frames.get(i).get(depth).assigned().contains(name)) {
                return end;
            }
            i = end + 1;
        }
        return callEnds;
    }

    /** Depth of the innermost known frame of a node, or -1. */
    int depth(int node) {
        return frames.get(node).size() - 1;
    }

    /** The line that a node's call at a depth was running; an empty one where it is not known. */
    PythonFrame frame(int node, int depth) {
        List<PythonFrame> of = frames.get(node);
        return depth < of.size() ? of.get(depth) : new PythonFrame("", 0, "");
    }

    /** Last node of the module call at a depth. */
    int callEnd(int node, int depth) {
        return callEnd[node][depth];
    }

    /** Last node of the statement that runs at a depth. */
    int statementEnd(int node, int depth) {
        if (frames.get(node).size() <= depth) {
            return UNKNOWN;
        }
        return statementEnds.computeIfAbsent((long) node << 8 | depth, k -> findStatementEnd(node, depth));
    }

    /** Following nodes of the same call and line; a loop over modules runs its line once an iteration. */
    private int findStatementEnd(int node, int depth) {
        PythonFrame line = frames.get(node).get(depth);
        SpelledCalls calls = new SpelledCalls(line.text());
        int end = node;
        String child = child(node, depth);
        if (child != null) {
            calls.add(path(node, depth), path(node, depth + 1));
        }
        while (end < callEnd[node][depth]) {
            int next = end + 1;
            if (frames.get(next).size() <= depth
                    || frames.get(next).get(depth).line() != line.line()) {
                break;
            }
            String called = child(next, depth);
            if (called != null
                    && !called.equals(child)
                    && !calls.add(path(next, depth), path(next, depth + 1))) {
                break;
            }
            child = called == null ? child : called;
            end = next;
        }
        return end;
    }

    private String path(int node, int depth) {
        return nodes.get(node).moduleStack().get(depth).path();
    }

    private @Nullable String child(int node, int depth) {
        List<Node.ModuleCall> stack = nodes.get(node).moduleStack();
        return depth + 1 < stack.size() ? stack.get(depth + 1).call() : null;
    }
}
