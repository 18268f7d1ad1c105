package dev.headroom.estimator.program.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The calls of modules that one run of a line makes. A line such as {@code y = self.out(self.norm(x))} spells each
 * module once; a line of a loop, {@code x = layer(x)}, spells none and calls one an iteration. A call more than the
 * line spells begins the next iteration.
 */
public final class SpelledCalls {
    private static final Pattern COMPREHENSION = Pattern.compile("[\\[({].*\\bfor\\b.*\\bin\\b");

    private static final Pattern OWN_METHOD = Pattern.compile("\\bself(?:\\.\\w+)+\\(");

    private static final Pattern CALLED = Pattern.compile("(?<![\\w.])([A-Za-z_]\\w*)\\(");

    private final String line;
    private final Map<String, Integer> made = new HashMap<>();

    /** By container: the item of it whose modules are called. */
    private final Map<String, String> items = new HashMap<>();

    public SpelledCalls(String line) {
        this.line = line;
    }

    /**
     * Counts a call.
     *
     * @param caller path of the module whose code the line is
     * @param called path of the module that is called
     * @return whether the call still belongs to the same run of the line
     */
    public boolean add(String caller, String called) {
        boolean inside = called.startsWith(caller.isEmpty() ? "" : caller + ".");
        String[] parts = (inside && !caller.isEmpty() ? called.substring(caller.length() + 1) : called).split("\\.");
        String last = parts[parts.length - 1];
        if (spelled(last) == 0 && parts.length > 2 && isNumber(last) && isNumber(parts[parts.length - 2])) {
            String item = String.join(".", List.of(parts).subList(0, parts.length - 1));
            return item.equals(items.computeIfAbsent(holder(parts), k -> item)); // for a, b in self.pairs: b(a(x))
        }
        String name = spelled(last) > 0 ? last : parts.length > 1 ? holder(parts) : "";
        int spelled = spelled(name);
        if (spelled == 0 && callsOwnMethod() || isLoop()) {
            return true; // a method out of sight calls it, or the line is a loop of its own
        }
        boolean item = spelled == 0 && parts.length > 1 && isNumber(last);
        if (item && !called.equals(items.computeIfAbsent(name, k -> called))) {
            return false;
        }
        int calls = made.merge(name, 1, Integer::sum);
        return calls <= Math.max(1, spelled) || item && calls <= mostOfOneName();
    }

    /** How often the line calls the name that it calls most: {@code attention(norm(x), norm(y))} one of them twice. */
    private int mostOfOneName() {
        Map<String, Integer> calls = new HashMap<>();
        Matcher m = CALLED.matcher(line);
        while (m.find()) {
            calls.merge(m.group(1), 1, Integer::sum);
        }
        return calls.values().stream().mapToInt(n -> n).max().orElse(1);
    }

    // A pattern takes long to say that a line has none of what it looks for.

    private boolean callsOwnMethod() {
        return line.contains("self.") && OWN_METHOD.matcher(line).find();
    }

    private boolean isLoop() {
        return line.contains("for") && COMPREHENSION.matcher(line).find();
    }

    /** The container that a module was taken from: {@code layers} of {@code layers.0}. */
    private static String holder(String[] parts) {
        for (int i = parts.length - 2; i >= 0; i--) {
            if (!isNumber(parts[i])) {
                return parts[i];
            }
        }
        return "";
    }

    private static boolean isNumber(String part) {
        return part.isEmpty() || Character.isDigit(part.charAt(0));
    }

    /** How often the line spells an attribute or a key; numbers stand in brackets. */
    private int spelled(String name) {
        if (name.isEmpty()) {
            return 0;
        }
        int n = 0;
        for (int at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + name.length())) {
            char before = at == 0 ? ' ' : line.charAt(at - 1);
            char after = at + name.length() >= line.length() ? ' ' : line.charAt(at + name.length());
            boolean digit = Character.isDigit(name.charAt(0));
            boolean begins = digit ? before == '[' : before == '.' || before == '"' || before == '\'';
            n += begins && !Character.isLetterOrDigit(after) && after != '_' ? 1 : 0;
        }
        return n;
    }
}
