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
    private static final Pattern ASSIGNMENT = Pattern.compile(
            "^([(\\[]?[A-Za-z_]\\w*[)\\]]*(?:\\s*,\\s*[(\\[]*[A-Za-z_]\\w*[)\\]]*)*)(?:\\s*:[^=]+)?\\s*"
                    + "(?:[-+*/@|&]|//|\\*\\*)?=(?!=)");

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

    /** Whether the line returns what it calls. */
    boolean returns() {
        return text.startsWith("return ");
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
