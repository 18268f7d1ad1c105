package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
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

    /** What is no tensor: the sizes that a value is given. */
    private static final Pattern SIZES = Pattern.compile("(?<=\\.(?:view|reshape))\\([^()]*\\)");

    private static final Pattern STATEMENT =
            Pattern.compile("^(return|yield|if|elif|else|for|while|with|assert|del|raise)\\b");

    private static final Pattern LIST = Pattern.compile(
            "(?<![\\w.])([A-Za-z_]\\w*)\\[" + "|\\b(?:cat|concat|stack|sum|tuple|list)\\(([A-Za-z_]\\w*)\\s*[,)]"
                    + "|\\bin\\s+(?:(?:enumerate|reversed)\\()?([A-Za-z_]\\w*)\\s*[\\])]");

    /** What only a tensor is indexed by, such as {@code :, 0]}, and the key of a module that is called. */
    private static final Pattern OF_OTHERS =
            Pattern.compile("(?::|\\.\\.\\.|None)\\s*,|[^\\]\\[()]*,\\s*(?::|None|\\.\\.\\.)|[^\\]\\[]*\\]\\(");

    private static final Pattern JOINED = Pattern.compile("\\b(?:cat|concat|stack|sum)\\(([A-Za-z_]\\w*)\\s*[,)]");

    /** What {@code a if test else b} asks. */
    private static final Pattern CONDITION = Pattern.compile("\\bif\\b.*?\\belse\\b");

    private static final Pattern LIST_DISPLAY = Pattern.compile("=\\s*\\[");

    private static final Pattern OPEN = Pattern.compile("[(\\[{]$");

    private static final Set<String> WORDS = Set.of(
            "self", "None", "True", "False", "torch", "nn", "F", "if", "else", "in", "for", "not", "and", "or", "is");

    private final List<Node> nodes;
    private final List<List<PythonFrame>> frames;
    private final int[][] callEnd;
    private final Map<String, List<Integer>> readers = new HashMap<>();
    /** Names that a line spells. */
    private final Map<String, Set<String>> spelled = new HashMap<>();

    HiddenNames(List<Node> nodes, List<List<PythonFrame>> frames, int[][] callEnd) {
        this.nodes = nodes;
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
                    && Lifetimes.sameCall(callEnd, reader, made, depth)
                    && frames.get(reader).size() > depth) {
                if (isArgument(made, reader, depth)) {
                    return null;
                }
                Set<String> names =
                        new HashSet<>(names(frames.get(reader).get(depth).text()));
                for (int i = reader; i >= 0 && Lifetimes.sameCall(callEnd, i, made, depth) && names.size() > 1; i--) {
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
     * Those of some names that the first line spells which reads a value behind the statement that makes it; none where
     * no such line is known.
     */
    Set<String> spelledOf(String value, List<String> names, int made, int depth, int end) {
        for (int reader : readers.getOrDefault(value, List.of())) {
            if (reader > end && Lifetimes.sameCall(callEnd, reader, made, depth)) {
                Set<String> spelled = new HashSet<>(names);
                spelled.retainAll(
                        frames.get(reader).size() > depth
                                ? names(frames.get(reader).get(depth).text())
                                : Set.of());
                return spelled;
            }
        }
        return Set.of();
    }

    /** Whether the line that makes a value is a later one of the statement that reads it: an argument of a call. */
    private boolean isArgument(int made, int reader, int depth) {
        PythonFrame first = frames.get(reader).get(depth);
        return first.line() < frames.get(made).get(depth).line()
                && OPEN.matcher(first.text()).find();
    }

    /**
     * Lists that hold a value besides the name that it was assigned to: a later line of the call reads it, does not
     * spell that name, and has names of which no line shows an assignment, with an index behind ({@code features[-1]})
     * or as what a function joins ({@code torch.cat(features, 1)}).
     */
    Set<String> lists(String value, String name, int made, int depth, int end) {
        Set<String> out = new HashSet<>();
        for (int reader : readers.getOrDefault(value, List.of())) {
            if (reader <= end
                    || !Lifetimes.sameCall(callEnd, reader, made, depth)
                    || frames.get(reader).size() <= depth) {
                continue;
            }
            String line = frames.get(reader).get(depth).text();
            if (names(line).contains(name)) {
                continue;
            }
            Matcher m = LIST.matcher(line);
            while (m.find()) {
                String list = m.group(1) != null ? m.group(1) : m.group(2) != null ? m.group(2) : m.group(3);
                boolean item = m.group(1) == null
                        || !OF_OTHERS.matcher(line.substring(m.end())).lookingAt();
                if (item && !WORDS.contains(list) && !assignedBefore(list, reader, made, depth)) {
                    out.add(list);
                }
            }
        }
        return out;
    }

    /**
     * The second name of a value, whose assignment runs no operator and so leaves no line:
     * {@code shortcut = x}. A later line of the call reads the value after its first name was given another one, and
     * all but one of the names that it spells are assigned in sight.
     *
     * @param name the name that its own statement gives it
     */
    @Nullable
    String alias(String value, String name, int made, int depth, int end) {
        Set<PythonFrame.Place> assigning = new HashSet<>();
        int seen = end + 1;
        for (int reader : readers.getOrDefault(value, List.of())) {
            if (reader <= end
                    || !Lifetimes.sameCall(callEnd, reader, made, depth)
                    || frames.get(reader).size() <= depth) {
                continue;
            }
            PythonFrame line = frames.get(reader).get(depth);
            if (line.text().contains(".pop(")) {
                continue; // what it takes out has no name any more
            }
            // Readers come in order: each looks only at what follows the one before.
            for (; seen < reader; seen++) {
                if (frames.get(seen).size() > depth
                        && frames.get(seen).get(depth).assigned().contains(name)) {
                    assigning.add(frames.get(seen).get(depth).place());
                }
            }
            boolean again = assigning.size() < 2 && (assigning.isEmpty() || assigning.contains(line.place()));
            if (again && !speaksOfAnother(line, name, made, depth)) {
                continue; // no other line gave the first name another value
            }
            Set<String> names = new HashSet<>(names(withoutConditions(line.text())));
            line.assigned().forEach(names::remove);
            for (int i = reader - 1; i >= 0 && Lifetimes.sameCall(callEnd, i, made, depth); i--) {
                if (frames.get(i).size() > depth) {
                    frames.get(i).get(depth).assigned().forEach(names::remove);
                }
            }
            if (names.size() == 1) {
                String only = names.iterator().next();
                Matcher joined = JOINED.matcher(line.text());
                return joined.find() && joined.group(1).equals(only) ? null : only; // that is a list
            }
        }
        return null;
    }

    /**
     * Whether a line reads a value without its name, in its own next run: {@code new = f(old)}, behind which stood
     * {@code old = new}.
     */
    private boolean speaksOfAnother(PythonFrame line, String name, int made, int depth) {
        return line.place().equals(frames.get(made).get(depth).place())
                && line.assigned().equals(List.of(name))
                && !names(line.text().substring(line.text().indexOf('=') + 1)).contains(name);
    }

    /** Whether a line of the call before a node shows what a name is assigned, other than a list. */
    private boolean assignedBefore(String name, int node, int made, int depth) {
        for (int i = node; i >= 0 && Lifetimes.sameCall(callEnd, i, made, depth); i--) {
            if (frames.get(i).size() > depth) {
                PythonFrame frame = frames.get(i).get(depth);
                if (frame.assigned().contains(name)
                        && !LIST_DISPLAY.matcher(frame.text()).find()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a line of the call reads a value and takes it out of a list: {@code skips.pop()}. */
    boolean pops(String name, String value, int made, int depth) {
        return readers.getOrDefault(value, List.of()).stream()
                .filter(reader -> Lifetimes.sameCall(callEnd, reader, made, depth)
                        && frames.get(reader).size() > depth)
                .anyMatch(reader -> frames.get(reader).get(depth).text().contains(name + ".pop("));
    }

    /**
     * Where a list that joined a value is another one: a later line joins what was made since, and not this value.
     * {@code outputs = []} runs no operator and so leaves no line.
     *
     * @return the node that joins the new list, or -1 where there is none
     */
    int madeAnew(String list, String value, int made, int depth) {
        int reader = -1;
        for (int i : readers.getOrDefault(value, List.of())) {
            reader = joins(list, i, made, depth) ? i : reader;
        }
        if (reader < 0) {
            return -1;
        }
        String operator = nodes.get(reader).operator();
        for (int i = reader + 1; i < frames.size() && Lifetimes.sameCall(callEnd, i, made, depth); i++) {
            if (nodes.get(i).operator().equals(operator)
                    && joins(list, i, made, depth)
                    && !nodes.get(i).reads().contains(value)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether a node is on a line that joins that list, and no other one. */
    private boolean joins(String list, int node, int made, int depth) {
        if (!Lifetimes.sameCall(callEnd, node, made, depth) || frames.get(node).size() != depth + 1) {
            return false;
        }
        Matcher m = JOINED.matcher(frames.get(node).get(depth).text());
        Set<String> joined = new HashSet<>();
        while (m.find()) {
            joined.add(m.group(1));
        }
        return joined.equals(Set.of(list));
    }

    private static String withoutConditions(String line) {
        // A pattern takes long to say that a line has none of what it looks for.
        return line.contains(" if ") ? CONDITION.matcher(line).replaceAll("") : line;
    }

    private Set<String> names(String line) {
        return spelled.computeIfAbsent(line, HiddenNames::namesOf);
    }

    private static Set<String> namesOf(String line) {
        Set<String> out = new HashSet<>();
        Matcher m = NAME.matcher(SIZES.matcher(line).replaceAll("()"));
        while (m.find()) {
            if (!WORDS.contains(m.group())) {
                out.add(m.group());
            }
        }
        return out;
    }
}
