package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.estimator.program.source.TracedNodes;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Local variables of the modules' {@code forward} functions, read off the source lines in the stack traces. A value
 * that a line assigns to a name lives until the name is assigned again in the same call, or until the call returns,
 * even when nothing reads it any more.
 *
 * <p>Only functions named {@code forward} leave frames in an archive, one a module call; where the frames of a node do
 * not match its modules, nothing is known of its variables.
 */
final class PythonVariables {
    private static final int UNKNOWN = Statements.UNKNOWN;

    private final List<Node> nodes;
    private final int[][] callEnd;
    private final Map<String, Integer> lastUses;
    private final Map<String, Integer> producers = new HashMap<>();
    private final List<List<PythonFrame>> frames;

    private final HiddenNames hidden;
    private final HiddenFunctions functions;
    private final SiblingCalls siblings;
    private final ReturnedNames results;
    private final UnpackedNames unpacked;

    private final Statements statements;
    private final VariableSlots slots;

    /** @param lastUses by value: the last node that reads it, or else the one that makes it */
    PythonVariables(TracedNodes traced, int[][] callEnd, Map<String, Integer> lastUses, Map<String, TensorMeta> metas) {
        this.nodes = traced.nodes();
        this.lastUses = Map.copyOf(lastUses);
        this.callEnd = callEnd;
        for (int i = 0; i < nodes.size(); i++) {
            for (String out : nodes.get(i).outputs()) {
                producers.put(out, i);
            }
        }
        this.frames = traced.frames().ofModules();
        this.slots = new VariableSlots(frames, callEnd);
        this.statements = new Statements(nodes, frames, callEnd);
        this.hidden = new HiddenNames(nodes, frames, callEnd);
        this.functions = new HiddenFunctions(nodes, lastUses, metas, this);
        this.siblings = new SiblingCalls(nodes, frames, callEnd, lastUses);
        this.unpacked = new UnpackedNames(nodes, lastUses, hidden, this);
        this.results = new ReturnedNames(nodes, unpacked, this);
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
        int depth = frames.get(made).size() - 1;
        int lastUse = siblings.returned(made, output, depth, divides(lastRead) ? lastRead + 1 : lastRead);
        while (depth >= 0 && callEnd[made][depth] < lastUse) {
            depth--; // it leaves this call as a result
        }
        if (depth < 0) {
            return lastUse;
        }
        int returned = Math.max(returnedUnread(made, output, depth), results.heldUntil(made, output, depth));
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
            LibraryVariables.Until next = LibraryVariables.hold(line.text(), operator, operand(made), reader);
            return next == null
                    ? Math.max(lastUse, functions.end(made, output, depth, lastUse, end))
                    : Math.max(lastUse, first(next, made, end));
        }
        if (nodes.get(made).operator().equals("aten.broadcast_tensors")) {
            return lastUse; // the tracer's other name for what was read; the program has the old one
        }
        List<String> names = line.assigned();
        String value = nodes.get(made).outputs().get(output);
        if (names.isEmpty()) {
            String name = line.list() != null ? line.list() : hidden.name(value, made, depth, end);
            int until = name == null ? lastUse : Math.max(lastUse, held(name, value, end + 1, made, depth));
            if (line.list() != null) {
                slots.listed(value, line.list(), until, made, depth);
            } else if (name != null) {
                slots.held(value, name, until, made, depth);
            }
            return until;
        }
        boolean several = names.size() > 1 && nodes.get(made).outputs().size() == names.size();
        String name = several ? names.get(output) : unpacked.name(value, made, depth, names);
        int until = Math.max(lastUse, held(name, value, end + 1, made, depth));
        slots.held(value, name, until, made, depth);
        for (String list : hidden.lists(value, name, made, depth, end)) {
            int listed = held(list, value, end + 1, made, depth);
            if (listed > until) {
                slots.listed(value, list, listed, made, depth);
                until = listed;
            }
        }
        String alias = hidden.alias(value, name, made, depth, end);
        int aliased = alias == null ? until : aliasedAnew(alias, lastUse, made, depth);
        if (aliased > until) {
            slots.held(value, name, aliased, made, depth);
            until = aliased;
        }
        return until;
    }

    /** Notes that a value lives until a call has returned that was given it. */
    void given(String value, int made, int depth) {
        slots.given(value, depth, made);
    }

    /** Puts what variables hold until their functions end behind all else, in the order in which those go. */
    void inOrder(List<String> released) {
        slots.inOrder(released);
    }

    /** As {@link #rebound}; but who takes a value out of a list leaves nothing of it there. */
    private int held(String name, String value, int from, int made, int depth) {
        if (hidden.pops(name, value, made, depth)) {
            return made;
        }
        int joined = hidden.madeAnew(name, value, made, depth);
        if (joined >= 0) {
            return beforeFirst(joined, value, made, depth);
        }
        int until = rebound(name, from, made, depth);
        return until < callEnd[made][depth] ? beginsAnew(name, value, made, until, depth) : until;
    }

    /**
     * Where a line such as {@code h = cell(x, h)}, which gives a name its next value, reads another {@code h} than the
     * one that was made last, a line without operators stands before it: {@code h = states[i]}. Else the line's end.
     */
    private int beginsAnew(String name, String value, int made, int until, int depth) {
        boolean another = true;
        int start = start(until, depth, until);
        for (int i = start; another && i <= until; i++) {
            another = !nodes.get(i).reads().contains(value);
        }
        // Told by patterns, which take long: asked where it still matters.
        another = another && frames.get(until).get(depth).passes(name);
        // A checkpoint may part the call: then an earlier part of it has read the value, without a line.
        String call = callee(start, depth);
        for (int i = made + 1; another && i < start; i++) {
            another = call.isEmpty()
                    || !call.equals(callee(i, depth))
                    || !nodes.get(i).reads().contains(value);
        }
        return another ? Math.max(made, start - 1) : until;
    }

    /** The call of a module that a node runs in, below a depth; "" for none. */
    private String callee(int node, int depth) {
        List<Node.ModuleCall> stack = nodes.get(node).moduleStack();
        return depth + 1 < stack.size() ? stack.get(depth + 1).call() : "";
    }

    /**
     * The last node before the first value is made of a list that a node joins; where that value is older, the last
     * node of the statement that read the list before.
     */
    private int beforeFirst(int joined, String old, int made, int depth) {
        int used = statementEnd(Math.min(lastUses.getOrDefault(old, made), joined - 1), depth);
        for (String value : nodes.get(joined).reads()) {
            int first = producers.getOrDefault(value, -1);
            if (first > used && first < joined && statementEnd(first, depth) != UNKNOWN) {
                return Math.max(made, start(first, depth, statementEnd(first, depth)) - 1);
            }
            if (first >= 0) {
                break;
            }
        }
        return used;
    }

    /** First node of the statement that runs at a depth and ends at a node. */
    int start(int node, int depth, int end) {
        return statements.start(node, depth, end);
    }

    /** The first node behind one that makes what a variable gets, or the last of the statement. */
    private int first(LibraryVariables.Until wanted, int from, int end) {
        for (int i = from + 1; i < end; i++) {
            if (nodes.get(i).operator().equals(wanted.operator()) && operand(i).equals(wanted.of())) {
                return i;
            }
        }
        return end;
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
            boolean routed = own.assigned().contains(LibraryVariables.ROUTED) && made == statementEnd(made, depth);
            return routed ? callEnd[made][depth - 1] : UNKNOWN;
        }
        String value = nodes.get(made).outputs().get(output);
        boolean unread = returned(made) && !isRead(value, made);
        int d = depth;
        while (unread && d > 0 && (d < depth || !own.assigned().isEmpty() || own.returns())) {
            PythonFrame caller = frames.get(made).get(--d);
            List<String> names = caller.assigned();
            if (names.size() > 1) {
                boolean one = nodes.get(made).outputs().size() == 1;
                String name = names.get(one ? names.size() - 1 : Math.min(output, names.size() - 1));
                return kept(value, name, made, d);
            }
            if (!caller.returns()) {
                return names.isEmpty() || caller.takesPart()
                        ? callEnd[made][d + 1]
                        : kept(value, names.get(0), made, d);
            }
        }
        return UNKNOWN;
    }

    /** The operator that made a node's first operand, or "" for none. */
    private String operand(int node) {
        List<String> reads = nodes.get(node).reads();
        Integer made = reads.isEmpty() ? null : producers.get(reads.get(0));
        return made == null ? "" : nodes.get(made).operator();
    }

    /** Until when a caller's variable holds what its statement gives it. */
    int kept(String value, String name, int made, int depth) {
        int until = rebound(name, statementEnd(made, depth) + 1, made, depth);
        slots.held(value, name, until, made, depth);
        return until;
    }

    /** End of the statement that gives a name another value, or of the call. */
    int rebound(String name, int from, int made, int depth) {
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

    /** Until a name assigned out of sight has another value, which is read under it later, or the call ends. */
    private int aliasedAnew(String alias, int from, int made, int depth) {
        int until = callEnd[made][depth];
        for (int i = 0; i <= until; i++) {
            if (i == made || callEnd[i].length <= depth || callEnd[i][depth] != callEnd[made][depth]) {
                continue;
            }
            String value = nodes.get(i).outputs().isEmpty()
                    ? null
                    : nodes.get(i).outputs().get(0);
            List<String> assigned = frame(i, depth).assigned();
            int read = value == null ? 0 : lastUses.getOrDefault(value, 0);
            if (value != null && read > from && assigned.size() == 1) {
                int end = statementEnd(i, depth);
                if (alias.equals(hidden.alias(value, assigned.get(0), i, depth, end))) {
                    until = Math.min(until, i > from ? end : Math.max(from, read - 1));
                }
            }
        }
        return until;
    }

    /** Whether anybody reads a value that a node makes. */
    boolean isRead(String value, int made) {
        return lastUses.getOrDefault(value, made) > made;
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
        return statements.end(node, depth);
    }
}
