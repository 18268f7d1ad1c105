package dev.headroom.executor.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The line of Python that a function is at, as {@code traceback} prints it.
 *
 * @param number in its file, 0 where unknown
 * @param text without indentation; of a statement over several lines only the one that the running call begins on
 * @param kind what the statement does with its value
 * @param names the variables that it binds, in order
 */
record SourceLine(int number, String text, Kind kind, List<String> names) {
    enum Kind {
        /** {@code a, b = …} and {@code a += …}. */
        ASSIGNMENT,
        /** {@code for a in …:}. */
        LOOP,
        /** A bare expression, a {@code return}, or a part of a longer statement. */
        EXPRESSION
    }

    private static final String NAME = "[A-Za-z_]\\w*";
    private static final String NAMES = "\\(?\\s*(\\*?" + NAME + "(?:\\s*,\\s*\\*?" + NAME + ")*)\\s*,?\\s*\\)?";

    /** Assignments have a space before their sign; keyword arguments on a line of their own have none. */
    private static final Pattern ASSIGN =
            Pattern.compile(NAMES + "(?:\\s*:\\s[^=]+?)?\\s+(?:[-+*/@&|^%]|//|\\*\\*)?=(?!=).*", Pattern.DOTALL);

    private static final Pattern FOR = Pattern.compile("for\\s+" + NAMES + "\\s+in\\s.*", Pattern.DOTALL);

    private static final Pattern FRAME = Pattern.compile("File \"[^\n]*\", line (\\d+), in [^\n]*(?:\n *([^\n]*))?");

    static final SourceLine UNKNOWN = new SourceLine(0, "", Kind.EXPRESSION, List.of());

    /** Reads one line. */
    static SourceLine of(int number, String text) {
        Matcher loop = FOR.matcher(text);
        if (loop.matches()) {
            return new SourceLine(number, text, Kind.LOOP, split(loop.group(1)));
        }
        Matcher assign = ASSIGN.matcher(text);
        if (assign.matches()) {
            return new SourceLine(number, text, Kind.ASSIGNMENT, split(assign.group(1)));
        }
        return new SourceLine(number, text, Kind.EXPRESSION, List.of());
    }

    /** The line that an operator was called on. */
    static SourceLine innermost(Node n) {
        List<SourceLine> frames = frames(n.stackTrace());
        return frames.isEmpty() ? UNKNOWN : frames.get(frames.size() - 1);
    }

    /** Reads a stack trace, outermost frame first. */
    static List<SourceLine> frames(String trace) {
        List<SourceLine> out = new ArrayList<>();
        Matcher m = FRAME.matcher(trace);
        while (m.find()) {
            String text = m.group(2) == null ? "" : m.group(2).strip();
            int number = m.group(1).length() > 9 ? 0 : Integer.parseInt(m.group(1));
            out.add(of(number, text.startsWith("File \"") ? "" : text));
        }
        return out;
    }

    /** Whether the new value of a variable is made from its old one. */
    boolean readsItself(String name) {
        int sign = text.indexOf('=');
        return sign >= 0
                && Pattern.compile("(?<![\\w.])" + name + "(?![\\w=])")
                        .matcher(text.substring(sign))
                        .find();
    }

    private static List<String> split(String names) {
        List<String> out = new ArrayList<>();
        for (String n : names.split(",")) {
            out.add(n.strip().replace("*", ""));
        }
        return List.copyOf(out);
    }
}
