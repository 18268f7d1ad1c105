package dev.headroom.estimator.program.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line of Python that was running when an operator was traced.
 *
 * @param file source file
 * @param line number in the file
 * @param text the source line, stripped
 * @param assigned names that the line assigns, in order, those of inner lists as well; empty for anything else than
 *     names
 * @param statement which of the statements that share the line, counted on through the iterations of a loop
 */
public record PythonFrame(String file, int line, String text, List<String> assigned, int statement) {
    private static final Pattern BRACKETS = Pattern.compile("[()\\[\\]]");
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    private static final Pattern ASSIGNMENT =
            Pattern.compile("^([(\\[]?[A-Za-z_]\\w*[)\\]]*(?:\\s*,\\s*[(\\[]*[A-Za-z_]\\w*[)\\]]*)*)(?:\\s*:[^=]+)?\\s*"
                    + "(?:[-+*/@|&]|//|\\*\\*)?=(?!=)");

    private static final Pattern ONE_CALL =
            Pattern.compile("(?:return\\s+|[\\w\\s,()]+=\\s*)[A-Za-z_][\\w.]*\\((?:[\\w.\\s=]|,|\\*\\*?\\w)*\\)");

    private static final Pattern ADDING = Pattern.compile(
            "^([A-Za-z_]\\w*)(?:\\.(?:append|extend|insert)\\(|\\[(?:\"[^\"]*\"|'[^']*')\\]\\s*=(?!=))");

    private static final Pattern CALL_OF_OWN = Pattern.compile("\\bself\\.(\\w+)\\((?:[\\w.\\s=]|,|\\*)*\\)");

    public PythonFrame(String file, int line, String text) {
        this(file, line, text, assigned(text), 0);
    }

    /** Whether both are the same statement of the same function. */
    public boolean sameStatement(PythonFrame other) {
        return line == other.line && statement == other.statement;
    }

    /** Whether it is one of several lines of a statement: brackets stay open, or close that it does not open. */
    public boolean isUnfinished() {
        int open = 0;
        for (int i = 0; i < text.length(); i++) {
            open += nesting(text.charAt(i));
        }
        return open != 0;
    }

    /** Which statement of its function it is. */
    public Place place() {
        return new Place(line, statement);
    }

    /** A statement's line, and which of that line's statements it is. */
    public record Place(int line, int statement) {}

    // Written out, as the methods that Java makes for records are linked at their first call, which takes a command
    // longer than all that they compare.

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof PythonFrame f
                        && line == f.line
                        && statement == f.statement
                        && file.equals(f.file)
                        && text.equals(f.text)
                        && assigned.equals(f.assigned);
    }

    @Override
    public int hashCode() {
        return (file.hashCode() * 31 + line) * 31 + statement;
    }

    /** Frames of a stack trace as PyTorch prints it, outermost first. */
    static List<PythonFrame> parse(String trace) {
        return parse(trace, new HashMap<>());
    }

    /**
     * As {@link #parse(String)}.
     *
     * @param known frames by their text in the trace, to which new ones are added: a call's line recurs in the traces
     *     of all operators inside of the call
     */
    static List<PythonFrame> parse(String trace, Map<String, Optional<PythonFrame>> known) {
        List<PythonFrame> frames = new ArrayList<>();
        int at = trace.indexOf("File \"");
        while (at >= 0) {
            int next = trace.indexOf("File \"", at + 6);
            String part = next < 0 ? trace.substring(at) : trace.substring(at, next);
            known.computeIfAbsent(part, p -> Optional.ofNullable(one(p))).ifPresent(frames::add);
            at = next;
        }
        return frames;
    }

    private static @Nullable PythonFrame one(String part) {
        int quote = part.indexOf('"', 6);
        int number = part.indexOf(", line ", quote);
        int comma = number < 0 ? -1 : part.indexOf(',', number + 7);
        int end = part.indexOf('\n');
        if (quote < 0 || comma < 0 || end < 0) {
            return null;
        }
        try {
            int line = Integer.parseInt(part.substring(number + 7, comma));
            return new PythonFrame(
                    part.substring(6, quote), line, part.substring(end).strip());
        } catch (NumberFormatException e) {
            return null;
        }
    }

    static List<String> assigned(String text) {
        Matcher m = ASSIGNMENT.matcher(text);
        return m.find() ? List.of(COMMA.split(BRACKETS.matcher(m.group(1)).replaceAll(""))) : List.of();
    }

    /** Whether the line hands on what a name that it assigns held before: {@code h = cell(x, h)}. */
    public boolean passes(String name) {
        Matcher m = ASSIGNMENT.matcher(text);
        return m.find()
                && Pattern.compile("[(\\[,=]\\s*" + name + "\\s*[,)\\]]")
                        .matcher(text.substring(m.end())
                                .replaceAll("\\b\\w*(?:_like|len|is_tensor|isinstance)\\([^()]*\\)", ""))
                        .find();
    }

    /** What the line adds to, as {@code features.append(x)} and {@code out["x"] = x} do, or {@code null}. */
    public @Nullable String list() {
        Matcher m = ADDING.matcher(text);
        return m.find() ? m.group(1) : null;
    }

    /** Whether the line returns what it calls. */
    public boolean returns() {
        return text.startsWith("return ");
    }

    /** What the line returns, one entry for each of a tuple's items; empty where it goes on on another line. */
    public List<String> returned() {
        String all = returns() ? text.substring("return ".length()).strip() : "";
        return all.isEmpty()
                ? List.of()
                : split(
                        all.startsWith("(") && closing(all, 0) == all.length() - 1
                                ? all.substring(1, all.length() - 1)
                                : all);
    }

    /** Whether all that the line assigns or returns is one call, which ends with it. */
    public boolean isOneCall() {
        Matcher m = ASSIGNMENT.matcher(text);
        String value = m.find() ? text.substring(m.end()).strip() : returns() ? text.substring("return ".length()) : "";
        return isCall(value.strip()) && value.strip().endsWith(")");
    }

    /** Whether all that the line assigns or returns are calls of functions. */
    public boolean calls() {
        Matcher m = ASSIGNMENT.matcher(text);
        List<String> values = m.find()
                ? values().isEmpty() ? List.of(text.substring(m.end()).strip()) : values()
                : returns() ? List.of(text.substring("return ".length()).strip()) : List.of();
        return !values.isEmpty() && values.stream().allMatch(PythonFrame::isCall);
    }

    /**
     * Whether all that the line assigns or returns is one call of names and of what modules make of names: {@code y =
     * self.mix(self.norm(x), state)}.
     *
     * @param modules names of the modules that the line calls, of which {@code mix} is none
     */
    public boolean isOneCall(Set<String> modules) {
        String rest = text;
        for (String before = ""; !before.equals(rest); ) {
            before = rest;
            rest = CALL_OF_OWN.matcher(rest).replaceAll(m -> modules.contains(m.group(1)) ? "self.x" : "$0");
        }
        return ONE_CALL.matcher(rest).matches();
    }

    /** Whether the first parenthesis closes at the end, or on a line that is not shown. */
    private static boolean isCall(String value) {
        int open = value.indexOf('(');
        if (open <= 0 || !value.substring(0, open).matches("[A-Za-z_][\\w.]*")) {
            return false;
        }
        int close = closing(value, open);
        return close < 0 || close == value.length() - 1;
    }

    /** The place where the bracket at another one closes, or -1. */
    private static int closing(String value, int open) {
        int depth = 0;
        for (int i = open; i < value.length(); i++) {
            char c = value.charAt(i);
            depth += nesting(c);
            if (depth == 0) {
                return i;
            }
        }
        return -1;
    }

    /** Whether the line takes one item of what it calls: {@code x = self.rnn(x)[0]}. */
    public boolean takesPart() {
        return text.matches(".*\\)\\[-?\\d+](\\W.*)?");
    }

    /**
     * What the names of {@link #assigned} are given, one entry each; empty where the line does not list as many values.
     */
    public List<String> values() {
        Matcher m = ASSIGNMENT.matcher(text);
        if (!m.find()) {
            return List.of();
        }
        List<String> out = split(text.substring(m.end()));
        return out.size() == assigned().size() ? out : List.of();
    }

    /** By how many brackets a character leads deeper. */
    static int nesting(char c) {
        return "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
    }

    /** What commas part that are in no brackets; empty where brackets stay open. */
    private static List<String> split(String values) {
        List<String> out = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < values.length(); i++) {
            char c = values.charAt(i);
            depth += nesting(c);
            if (c == ',' && depth == 0) {
                out.add(values.substring(start, i).strip());
                start = i + 1;
            }
        }
        out.add(values.substring(start).strip());
        return depth == 0 ? out : List.of();
    }
}
