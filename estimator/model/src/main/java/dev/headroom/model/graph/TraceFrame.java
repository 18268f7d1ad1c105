package dev.headroom.model.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A frame of a trace as Python's {@code traceback} prints it.
 *
 * @param line in the file
 * @param function its name
 * @param text of the line, without indentation
 */
public record TraceFrame(String file, int line, String function, String text) {
    private static final Pattern FRAME =
            Pattern.compile("File \"([^\"]*)\", line (\\d{1,9}), in ([^\\n]*)\\n\\s*([^\\n]*)");
    private static final Pattern OF_PYTORCH = Pattern.compile("(?:^|.*/)torch/.*");
    private static final Pattern PARENT = Pattern.compile("\\bsuper\\([^()]*\\)\\.forward\\(|\\w\\.forward\\(self\\b");

    /** All frames, the outermost first. */
    static List<TraceFrame> all(String trace) {
        List<TraceFrame> out = new ArrayList<>();
        Matcher m = FRAME.matcher(trace);
        while (m.find()) {
            out.add(new TraceFrame(
                    m.group(1),
                    Integer.parseInt(m.group(2)),
                    m.group(3).strip(),
                    m.group(4).strip()));
        }
        return out;
    }

    /**
     * Whether a line calls the {@code forward} of the module's parent class, whose frame belongs to the same module's
     * call.
     */
    public static boolean callsParent(String text) {
        return text.contains("forward(") && PARENT.matcher(text).find();
    }

    /**
     * A frame a module's call: without those that {@code super().forward(…)} opens.
     *
     * @param forward frames of {@code forward}, outermost first
     * @param text of a frame's line
     */
    public static <T> List<T> withoutParents(List<T> forward, Function<T, String> text) {
        List<T> out = new ArrayList<>(forward.size());
        for (int i = 0; i < forward.size(); i++) {
            if (i == 0 || !callsParent(text.apply(forward.get(i - 1)))) {
                out.add(forward.get(i));
            }
        }
        return out;
    }

    boolean isForward() {
        return function.equals("forward");
    }

    /** Frames of PyTorch's own functions and of comprehensions hold no variables of the model's code. */
    boolean counts() {
        return isForward() || !OF_PYTORCH.matcher(file).matches() && !function.startsWith("<");
    }

    /** Whether no loop calls the function from this line: nothing runs behind a {@code return}. */
    boolean callsOnce(String called) {
        int first = text.indexOf(called + "(");
        return text.startsWith("return ")
                && first >= 0
                && first == text.lastIndexOf(called + "(")
                && !text.contains(" for ");
    }

    /** The frame as a trace has it. */
    String written() {
        return "File \"" + file + "\", line " + line + ", in " + function + "\n    " + text + "\n";
    }
}
