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
        if (line.endsWith(",") || STATEMENT.matcher(line).find()) {
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
