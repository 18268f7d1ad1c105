package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * In which order a function that ends drops what its variables hold: its parameters first, then in the order in which
 * the source first assigns them (CPython's compile.c, co_varnames; frame.c, _PyFrame_ClearLocals). What a called
 * function holds goes before what its caller does.
 */
final class VariableSlots {
    private static final int PARAMETER = 0;

    /** Behind all that the function itself holds. */
    private static final int ARGUMENT = Integer.MAX_VALUE;

    /** Deeper than any call: what a statement's name held goes when the statement is done. */
    private static final int ASSIGNED = Integer.MAX_VALUE;

    private final List<List<PythonFrame>> frames;
    private final int[][] callEnd;
    private final Map<String, Slot> slots = new HashMap<>();

    /** By last node and depth of a call: the line of each name. */
    private final Map<List<Integer>, Map<String, Integer>> lines = new HashMap<>();

    private final Map<List<Object>, ListedValues> lists = new HashMap<>();

    private record Slot(
            int depth, int line, int target, @Nullable ListedValues list) {
        Slot(int depth, int line, int target) {
            this(depth, line, target, null);
        }

        int first() {
            return list == null ? line : list.lineBefore();
        }
    }

    private static final Comparator<Slot> ORDER = Comparator.comparingInt((Slot s) -> -s.depth)
            .thenComparingInt(Slot::first)
            .thenComparingInt(Slot::target);

    VariableSlots(List<List<PythonFrame>> frames, int[][] callEnd) {
        this.frames = frames;
        this.callEnd = callEnd;
    }

    /** Notes that a variable has a value until a node has run, where its call ends or a statement that assigns anew. */
    void held(String value, String name, int until, int made, int depth) {
        PythonFrame own = frames.get(made).get(depth);
        if (until == callEnd[made][depth]) {
            int line = lines.computeIfAbsent(List.of(until, depth), k -> read(made, depth))
                    .getOrDefault(name, own.line());
            slots.put(value, new Slot(depth, line, own.assigned().indexOf(name)));
        } else if (frames.get(until).size() > depth) {
            int target = frames.get(until).get(depth).assigned().indexOf(name);
            if (target >= 0) {
                slots.put(value, new Slot(ASSIGNED, 0, target));
            }
        }
    }

    /**
     * Notes that a value goes when a call that was given it has returned: its caller's arguments outlive what the
     * called function holds.
     */
    void given(String value, int depth, int made) {
        slots.putIfAbsent(value, new Slot(depth, ARGUMENT, made));
    }

    /** Notes that a list has a value until its function ends; what it holds goes from the last item on. */
    void listed(String value, String list, int until, int made, int depth) {
        if (until == callEnd[made][depth]) {
            ListedValues items =
                    lists.computeIfAbsent(List.of(list, until, depth), k -> new ListedValues(frames, made, depth));
            items.add(made);
            slots.put(value, new Slot(depth, 0, -made, items));
        }
    }

    /** Puts what variables hold behind all else, in the order in which they drop it. */
    void inOrder(List<String> released) {
        if (released.size() > 1) {
            released.sort(Comparator.comparing(slots::get, Comparator.nullsFirst(ORDER)));
        }
    }

    private Map<String, Integer> read(int node, int depth) {
        Map<String, PythonFrame> first = new HashMap<>();
        for (int i = callEnd[node][depth]; i >= 0 && Lifetimes.sameCall(callEnd, i, node, depth); i--) {
            if (frames.get(i).size() > depth) {
                PythonFrame line = frames.get(i).get(depth);
                line.assigned().forEach(name -> first.merge(name, line, (a, b) -> a.line() <= b.line() ? a : b));
            }
        }
        Map<String, Integer> out = new HashMap<>();
        first.forEach((name, line) -> out.put(name, reads(line, name) ? PARAMETER : line.line()));
        return out;
    }

    /** Whether a line computes a name's value from what it held before. */
    private static boolean reads(PythonFrame line, String name) {
        String value = line.text().substring(line.text().indexOf('=') + 1);
        return Pattern.compile("(?<![\\w.])" + Pattern.quote(name) + "(?!\\w|\\s*=[^=])")
                .matcher(value)
                .find();
    }
}
