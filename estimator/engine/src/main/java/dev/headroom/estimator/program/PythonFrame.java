package dev.headroom.estimator.program;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line of Python that was running when an operator was traced.
 *
 * @param file source file
 * @param line number in the file
 * @param text the source line, stripped
 */
record PythonFrame(String file, int line, String text) {
    private static final Pattern ASSIGNMENT =
            Pattern.compile("^([(\\[]?[A-Za-z_]\\w*[)\\]]*(?:\\s*,\\s*[(\\[]*[A-Za-z_]\\w*[)\\]]*)*)(?:\\s*:[^=]+)?\\s*"
                    + "(?:[-+*/@|&]|//|\\*\\*)?=(?!=)");

    private static final Pattern ADDING = Pattern.compile("^([A-Za-z_]\\w*)\\.(?:append|extend|insert)\\(");

    /** Frames of a stack trace as PyTorch prints it, outermost first. */
    static List<PythonFrame> parse(String trace) {
        List<PythonFrame> frames = new ArrayList<>();
        int at = trace.indexOf("File \"");
        while (at >= 0) {
            int next = trace.indexOf("File \"", at + 6);
            String part = next < 0 ? trace.substring(at) : trace.substring(at, next);
            PythonFrame frame = one(part);
            if (frame != null) {
                frames.add(frame);
            }
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

    /** Names that the line assigns, in order, those of inner lists as well; empty for anything else than names. */
    List<String> assigned() {
        Matcher m = ASSIGNMENT.matcher(text);
        return m.find() ? List.of(m.group(1).replaceAll("[()\\[\\]]", "").split("\\s*,\\s*")) : List.of();
    }

    /** The list that the line adds to, as {@code features.append(x)} does, or {@code null}. */
    @Nullable
    String list() {
        Matcher m = ADDING.matcher(text);
        return m.find() ? m.group(1) : null;
    }

    /** Whether the line returns what it calls. */
    boolean returns() {
        return text.startsWith("return ");
    }

    /** Whether all that the line assigns or returns are calls of functions. */
    boolean calls() {
        Matcher m = ASSIGNMENT.matcher(text);
        List<String> values = m.find()
                ? values().isEmpty() ? List.of(text.substring(m.end()).strip()) : values()
                : returns() ? List.of(text.substring("return ".length()).strip()) : List.of();
        return !values.isEmpty() && values.stream().allMatch(PythonFrame::isCall);
    }

    /** Whether the first parenthesis closes at the end, or on a line that is not shown. */
    private static boolean isCall(String value) {
        int open = value.indexOf('(');
        if (open <= 0 || !value.substring(0, open).matches("[A-Za-z_][\\w.]*")) {
            return false;
        }
        int depth = 0;
        for (int i = open; i < value.length(); i++) {
            char c = value.charAt(i);
            depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
            if (depth == 0) {
                return i == value.length() - 1;
            }
        }
        return true;
    }

    /** Whether the line takes one item of what it calls: {@code x = self.rnn(x)[0]}. */
    boolean takesPart() {
        return text.matches(".*\\)\\[-?\\d+](\\W.*)?");
    }

    /**
     * What the names of {@link #assigned} are given, one entry each; empty where the line does not list as many values.
     */
    List<String> values() {
        Matcher m = ASSIGNMENT.matcher(text);
        if (!m.find()) {
            return List.of();
        }
        List<String> out = new ArrayList<>();
        int depth = 0;
        int start = m.end();
        for (int i = m.end(); i < text.length(); i++) {
            char c = text.charAt(i);
            depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
            if (c == ',' && depth == 0) {
                out.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        out.add(text.substring(start).strip());
        return depth == 0 && out.size() == assigned().size() ? out : List.of();
    }
}
