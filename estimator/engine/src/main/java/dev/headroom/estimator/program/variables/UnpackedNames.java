package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which of several names each value of a statement gets: {@code x, mask = shuffle(x)}. A function may return its values
 * in another order than it makes them, so the lines that read them later tell: they spell the name.
 */
final class UnpackedNames {
    /** More names than these are taken in the order in which the values are made. */
    private static final int MOST = 8;

    private final List<Node> nodes;
    private final Map<String, Integer> lastUses;
    private final HiddenNames hidden;
    private final PythonVariables variables;

    /** By last node of a statement and its depth: what its values are called, as far as it can be told. */
    private final Map<List<Integer>, Map<String, String>> told = new HashMap<>();

    /** @param lastUses by value: the last node that reads it, or else the one that makes it */
    UnpackedNames(List<Node> nodes, Map<String, Integer> lastUses, HiddenNames hidden, PythonVariables variables) {
        this.nodes = nodes;
        this.lastUses = Map.copyOf(lastUses);
        this.hidden = hidden;
        this.variables = variables;
    }

    /** The name of a value that is read after its statement; the first one where that cannot be told. */
    String name(String value, int made, int depth, List<String> names) {
        return names.size() == 1 ? names.get(0) : told(made, depth, names).getOrDefault(value, names.get(0));
    }

    /**
     * The name of a value that nothing reads: the one that is left when all that are read have theirs, and as many
     * values as names are there.
     */
    @Nullable
    String unread(String value, int made, int depth) {
        PythonFrame line = variables.frame(made, depth);
        return line.assigned().size() > 1 && line.isOneCall()
                ? told(made, depth, line.assigned()).get(value)
                : null;
    }

    private Map<String, String> told(int made, int depth, List<String> names) {
        int end = variables.statementEnd(made, depth);
        return told.computeIfAbsent(List.of(end, depth), k -> tell(made, depth, end, names));
    }

    private Map<String, String> tell(int made, int depth, int end, List<String> names) {
        List<String> read = new ArrayList<>(names.size());
        List<String> all = new ArrayList<>(names.size());
        for (int i = variables.start(made, depth, end); i <= end; i++) {
            for (String value : nodes.get(i).outputs()) {
                int last = value == null ? i : lastUses.getOrDefault(value, i);
                if (last > end) {
                    read.add(value);
                }
                if (last > end || value != null && last == i && !worksInPlace(nodes.get(i))) {
                    all.add(value);
                }
            }
        }
        boolean complete = read.size() == names.size();
        List<String> values = complete || all.size() != names.size() ? read : all;
        List<Set<String>> may = new ArrayList<>(values.size());
        for (String value : values) {
            may.add(hidden.spelledOf(value, names, made, depth, end));
        }
        // Without a line that spells one, values come in the order in which they are made.
        List<String> found = new ArrayList<>(Collections.nCopies(values.size(), ""));
        if (values.size() > names.size() || names.size() > MOST || !assign(0, may, names, new HashSet<>(), found)) {
            return inOrder(complete ? read : List.of(), names);
        }
        if (values.size() == names.size()) {
            return inOrder(values, found);
        }
        Map<String, String> sure = new HashMap<>();
        for (int i = 0; i < values.size(); i++) {
            if (may.get(i).size() == 1) {
                sure.put(values.get(i), found.get(i));
            }
        }
        return sure;
    }

    private static Map<String, String> inOrder(List<String> values, List<String> names) {
        Map<String, String> out = new HashMap<>();
        for (int i = 0; i < values.size(); i++) {
            out.put(values.get(i), names.get(i));
        }
        return out;
    }

    /** Gives each value a name of its own out of those that it may have; the first such that there is. */
    private static boolean assign(
            int value, List<Set<String>> may, List<String> names, Set<Integer> taken, List<String> found) {
        if (value == may.size()) {
            return true;
        }
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if ((may.get(value).isEmpty() || may.get(value).contains(name)) && taken.add(i)) {
                found.set(value, name);
                if (assign(value + 1, may, names, taken, found)) {
                    return true;
                }
                taken.remove(i);
            }
        }
        return false;
    }

    private static boolean worksInPlace(Node node) {
        return node.operator().endsWith("_") || node.operator().startsWith("aten._assert");
    }
}
