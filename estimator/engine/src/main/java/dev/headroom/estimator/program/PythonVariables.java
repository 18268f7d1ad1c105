package dev.headroom.estimator.program;

import dev.headroom.estimator.program.source.SpelledCalls;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** What functions do last to what they return. */
    private static final Set<String> FORMS = Set.of(
            "aten.to",
            "aten.type_as",
            "aten.view",
            "aten.reshape",
            "aten.flatten",
            "aten.transpose",
            "aten.permute",
            "aten.contiguous",
            "aten.squeeze",
            "aten.unsqueeze");

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
     * @param lastRead the last node that reads it
     * @return the last node that runs while it is held, at least {@code lastRead}
     */
    int heldUntil(int made, int output, int lastRead) {
        int lastUse = divides(lastRead) ? lastRead + 1 : lastRead;
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
        boolean whole = nodes.get(made).outputs().size() == 1 || line.assigned().size() > 1; // not f(x)[1]
        boolean result =
                made == end && lastUse == made && whole && !line.assigned().isEmpty() && !asks(made);
        if (lastUse <= end && !result) { // a temporary of the statement
            String operator = nodes.get(made).operator();
            String reader = nodes.get(lastUse).operator();
            return LibraryVariables.hold(line.text(), operator, operand(made), reader)
                    ? end
                    : Math.max(lastUse, functionEnd(made, output, depth, lastUse, end));
        }
        if (nodes.get(made).operator().equals("aten.broadcast_tensors")) {
            return lastUse; // the tracer's other name for what was read; the program has the old one
        }
        List<String> names = line.assigned();
        String value = nodes.get(made).outputs().get(output);
        if (names.isEmpty()) {
            String name = line.list() != null ? line.list() : hidden.name(value, made, depth, end);
            return name == null ? lastUse : Math.max(lastUse, held(name, value, end + 1, made, depth));
        }
        boolean several = names.size() > 1 && nodes.get(made).outputs().size() == names.size();
        String name = names.get(several ? output : position(made, output, depth, names.size()));
        int until = Math.max(lastUse, held(name, value, end + 1, made, depth));
        for (String list : hidden.lists(value, name, made, depth, end)) {
            until = Math.max(until, held(list, value, end + 1, made, depth));
        }
        return until;
    }

    /** As {@link #rebound}; but who takes a value out of a list leaves nothing of it there. */
    private int held(String name, String value, int from, int made, int depth) {
        return hidden.pops(name, value, made, depth) ? made : rebound(name, from, made, depth);
    }

    /**
     * Until when a variable of a function whose source is out of sight holds a temporary of the statement that
     * calls
     * it: what is read twice, or is one of several results, has a name. The function ends where all that it made
     * has come down to one value, in the form in which the function returns it.
     */
    private int functionEnd(int made, int output, int depth, int lastUse, int end) {
        PythonFrame line = frames.get(made).get(depth);
        Node node = nodes.get(made);
        boolean named = node.outputs().size() > 1 || reads(node.outputs().get(output), depth, made, end) > 1;
        if (!named || !line.calls() || LibraryVariables.knows(line.text())) {
            return lastUse;
        }
        int i = lastUse;
        while (i < end && live(made, i) > 1) {
            i++;
        }
        while (i < end && FORMS.contains(nodes.get(i + 1).operator()) && live(made, i + 1) == 1) {
            i++;
        }
        return i;
    }

    /** How many of the values made between two nodes are read later. */
    private int live(int from, int to) {
        int n = 0;
        for (int i = from + 1; i <= to; i++) {
            for (String value : nodes.get(i).outputs()) {
                n += value != null && lastUses.getOrDefault(value, i) > to ? 1 : 0;
            }
        }
        return n;
    }

    private int reads(String value, int depth, int from, int to) {
        int n = 0;
        for (int i = from + 1; i <= to; i++) {
            Node node = nodes.get(i);
            boolean reads = node.reads().contains(value) && !node.operator().startsWith("aten._assert");
            n += reads && node.moduleStack().size() == depth + 1 ? 1 : 0;
        }
        return n;
    }

    private boolean returned(int made) {
        List<Node.ModuleCall> stack = nodes.get(made).moduleStack();
        String type = stack.isEmpty() ? "" : stack.get(stack.size() - 1).type();
        return type.startsWith("torch.nn.modules.rnn.")
                || type.endsWith(".MultiheadAttention")
                        && nodes.get(made).operator().equals("aten.mean");
    }

    /** Whether a node's result is a question of a function out of sight that no tensor answers. */
    private boolean asks(int node) {
        return nodes.get(node).operator().equals("aten.all")
                || nodes.get(node).name().endsWith("_full");
    }

    /** Whether a node begins {@code number / x}, a function of Python that holds x until it ends (torch/_tensor.py). */
    private boolean divides(int node) {
        if (!nodes.get(node).operator().equals("aten.reciprocal") || node + 1 >= nodes.size()) {
            return false;
        }
        Node next = nodes.get(node + 1);
        int depth = frames.get(node).size() - 1;
        return next.operator().equals("aten.mul")
                && next.reads().equals(nodes.get(node).outputs())
                && depth >= 0
                && !frames.get(node).get(depth).text().contains("reciprocal");
    }

    /**
     * Until when the callers' variables hold a result that nothing reads, or -1: the states of recurrent layers and the
     * weights of attention, which modules return whether or not the caller wants them.
     */
    private int returnedUnread(int made, int output, int depth) {
        PythonFrame own = frames.get(made).get(depth);
        if (depth > 0 && LibraryVariables.routes(frames.get(made).get(depth - 1).text())) {
            return own.assigned().contains(LibraryVariables.ROUTED) ? callEnd[made][depth - 1] : UNKNOWN;
        }
        boolean unread = returned(made)
                && lastUses.getOrDefault(nodes.get(made).outputs().get(output), made) == made;
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
            call(calls, node, depth);
        }
        while (end < callEnd[node][depth]) {
            int next = end + 1;
            if (frames.get(next).size() <= depth || frames.get(next).get(depth).line() != line.line()) {
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
