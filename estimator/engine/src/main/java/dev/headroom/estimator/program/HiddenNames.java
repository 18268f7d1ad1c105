package dev.headroom.estimator.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of variables whose assignment is out of sight. An archive holds one line of a statement; where the value stands
 * on a line of its own, in parentheses, the name is on the line before. The line that reads the value spells it.
 */
final class HiddenNames {
    /** A name that is no attribute, no function that is called and no argument's name. */
    private static final Pattern NAME = Pattern.compile("(?<![\\w.\"'])[A-Za-z_]\\w*(?!\\s*\\(|\\w|\\s*=[^=])");

    private static final Pattern STATEMENT =
            Pattern.compile("^(return|yield|if|elif|else|for|while|with|assert|del|raise)\\b");

    private static final Pattern LIST = Pattern.compile(
            "(?<![\\w.])([A-Za-z_]\\w*)\\[" + "|\\b(?:cat|concat|stack|sum|tuple|list)\\(([A-Za-z_]\\w*)\\s*[,)]");

    private static final Set<String> WORDS = Set.of(
            "self", "None", "True", "False", "torch", "nn", "F", "if", "else", "in", "for", "not", "and", "or", "is");

    private final List<List<PythonFrame>> frames;
    private final int[][] callEnd;
    private final Map<String, List<Integer>> readers = new HashMap<>();

    HiddenNames(List<Node> nodes, List<List<PythonFrame>> frames, int[][] callEnd) {
        this.frames = frames;
        this.callEnd = callEnd;
        for (int i = 0; i < nodes.size(); i++) {
            for (String used : nodes.get(i).reads()) {
                readers.computeIfAbsent(used, k -> new ArrayList<>(2)).add(i);
            }
        }
    }

    /**
     * The name that a value has, or {@code null} where that cannot be told.
     *
     * @param made the node that makes it
     * @param depth of the call that the variable belongs to
     * @param end last node of the statement there
     */
    @Nullable
    String name(String value, int made, int depth, int end) {
        String line = frames.get(made).get(depth).text();
        if (STATEMENT.matcher(line).find()) {
            return null;
        }
        for (int reader : readers.getOrDefault(value, List.of())) {
            if (reader > end
                    && sameCall(reader, made, depth)
                    && frames.get(reader).size() > depth) {
                Set<String> names = names(frames.get(reader).get(depth).text());
                for (int i = reader; i >= 0 && sameCall(i, made, depth) && names.size() > 1; i--) {
                    if (frames.get(i).size() > depth) {
                        names.removeAll(frames.get(i).get(depth).assigned());
                    }
                }
                return names.size() == 1 ? names.iterator().next() : null;
            }
        }
        return null;
    }

    /**
     * Lists that hold a value besides the name that it was assigned to: a later line of the call reads it, does not
     * spell that name, and has names of which no line shows an assignment, with an index behind
     * ({@code features[-1]}) or as
     * what a function joins ({@code torch.cat(features, 1)}).
     */
    Set<String> lists(String value, String name, int made, int depth, int end) {
        Set<String> out = new HashSet<>();
        for (int reader : readers.getOrDefault(value, List.of())) {
            if (reader <= end
                    || !sameCall(reader, made, depth)
                    || frames.get(reader).size() <= depth) {
                continue;
            }
            String line = frames.get(reader).get(depth).text();
            if (names(line).contains(name)) {
                continue;
            }
            Matcher m = LIST.matcher(line);
            while (m.find()) {
                String list = m.group(1) == null ? m.group(2) : m.group(1);
                if (!WORDS.contains(list) && !assignedBefore(list, reader, made, depth)) {
                    out.add(list);
                }
            }
        }
        return out;
    }

    /** Whether a line of the call before a node shows what a name is assigned, other than a list. */
    private boolean assignedBefore(String name, int node, int made, int depth) {
        for (int i = node; i >= 0 && sameCall(i, made, depth); i--) {
            if (frames.get(i).size() > depth) {
                PythonFrame frame = frames.get(i).get(depth);
                if (frame.assigned().contains(name) && !frame.text().matches(".*=\\s*\\[.*")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a line of the call reads a value and takes it out of a list: {@code skips.pop()}. */
    boolean pops(String name, String value, int made, int depth) {
        return readers.getOrDefault(value, List.of()).stream()
                .filter(reader ->
                        sameCall(reader, made, depth) && frames.get(reader).size() > depth)
                .anyMatch(reader -> frames.get(reader).get(depth).text().contains(name + ".pop("));
    }

    private boolean sameCall(int a, int b, int depth) {
        return callEnd[a].length > depth && callEnd[a][depth] == callEnd[b][depth];
    }

    private static Set<String> names(String line) {
        Set<String> out = new HashSet<>();
        Matcher m = NAME.matcher(line);
        while (m.find()) {
            if (!WORDS.contains(m.group())) {
                out.add(m.group());
            }
        }
        return out;
    }
}
