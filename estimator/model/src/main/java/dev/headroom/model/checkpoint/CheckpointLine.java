package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Node;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line that calls {@code torch.utils.checkpoint.checkpoint}, as an operator's trace has it.
 *
 * @param call the calls of modules and the lines up to this one: the same for all operators of it
 * @param depth of the module that it is a line of, in the operator's module stack
 * @param text stripped; only its first line where it goes on
 * @param isModule whether a module is called, where the trace has that
 * @param isExact whether the trace has the frames of all functions, so that an operator with this line is inside
 */
record CheckpointLine(String call, int depth, String text, Optional<Boolean> isModule, boolean isExact) {
    /** In the head of a checkpoint's own frames. */
    static final String FILE = "torch/utils/checkpoint.py\", line ";

    /** Where the head of a frame begins. */
    static final String FRAME = "File \"";

    private static final Pattern CALL = Pattern.compile("(?<![\\w.])(?!self\\.)(?:\\w+\\.)*checkpoint\\(");
    private static final Pattern CONDITION = Pattern.compile("\\bif\\b.*\\belse\\b");
    private static final Pattern SEQUENTIAL =
            Pattern.compile("\\bcheckpoint_sequential\\(\\s*[\\w.]+\\s*,\\s*(\\d+)\\s*,");
    private static final Pattern OWN = Pattern.compile("\\s*self\\.(\\w+)\\s*(?:,.*)?");
    private static final Pattern METHOD = Pattern.compile("\\.\\w+\\(");
    private static final Pattern OPERATOR = Pattern.compile("[-+*/@]");

    /** The line of an operator's trace, or {@code null} for an operator that is inside of no checkpoint. */
    static @Nullable CheckpointLine of(Node node) {
        String trace = node.stackTrace();
        if (!trace.contains("checkpoint")) {
            return null;
        }
        int inside = trace.indexOf(FILE);
        int frameOf = inside < 0 ? -1 : trace.lastIndexOf(FRAME, inside);
        if (frameOf >= 0) {
            return exact(node, trace, frameOf);
        }
        int depth = -1;
        for (int at = trace.indexOf(FRAME); at >= 0; ) {
            int next = trace.indexOf(FRAME, at + 1);
            String frame = next < 0 ? trace.substring(at) : trace.substring(at, next);
            depth += isForward(frame) ? 1 : 0;
            String text = frame.substring(frame.indexOf('\n') + 1).strip();
            if (frame.contains("in _call_impl")) {
                return null; // the frames of all functions are there, and none is that of a checkpoint
            }
            if (isForward(frame) && isCall(text)) {
                String before = next < 0 ? trace : trace.substring(0, next);
                return new CheckpointLine(call(node, depth, before), depth, text, Optional.empty(), false);
            }
            at = next;
        }
        return null;
    }

    private static CheckpointLine exact(Node node, String trace, int checkpoint) {
        String before = trace.substring(0, checkpoint);
        int depth = -1;
        for (int at = before.indexOf(FRAME); at >= 0; at = before.indexOf(FRAME, at + 1)) {
            int next = before.indexOf(FRAME, at + 1);
            depth += isForward(next < 0 ? before.substring(at) : before.substring(at, next)) ? 1 : 0;
        }
        int line = before.lastIndexOf('\n', before.stripTrailing().length() - 1);
        int called = trace.lastIndexOf(FILE);
        int function = trace.indexOf(FRAME, called);
        boolean module = function >= 0 && isModuleCall(trace.substring(function).split("\n", 2)[0]);
        return new CheckpointLine(
                call(node, depth, before), depth, before.substring(line + 1).strip(), Optional.of(module), true);
    }

    private static String call(Node node, int depth, String trace) {
        int known = Math.min(depth, node.moduleStack().size() - 1);
        return (known < 0 ? "" : node.moduleStack().get(known).call()) + '\n' + trace.stripTrailing();
    }

    /** A module's own frame, or the exporter's around it. */
    private static boolean isModuleCall(String frame) {
        return frame.contains("torch/nn/modules/module.py") || frame.endsWith(", in call_module");
    }

    private static boolean isForward(String frame) {
        int end = frame.indexOf('\n');
        return end >= 0 && frame.substring(0, end).stripTrailing().endsWith(", in forward");
    }

    /**
     * Others have functions of that name, which are given the parameters and whether to do it at all; and a line with a
     * condition does not say which way it went.
     */
    private static boolean isCall(String text) {
        return CALL.matcher(text).find()
                && !text.contains(".parameters()")
                && !CONDITION.matcher(text).find();
    }

    /** Whether the line asks for it, if only by not saying (torch/utils/checkpoint.py, use_reentrant). */
    boolean isReentrant() {
        Matcher m = CALL.matcher(text);
        boolean whole = m.find() && close(m.end()) >= 0;
        return text.contains("use_reentrant=True") || whole && !text.contains("use_reentrant");
    }

    /** Whether an operator with a line is of the same calls, one of which may follow another. */
    boolean isSameCall(@Nullable CheckpointLine other) {
        return other != null && call.equals(other.call);
    }

    /** Into how many segments the line splits a chain of modules, of which the last is no checkpoint; 0 for none. */
    int segments() {
        Matcher m = SEQUENTIAL.matcher(text);
        return m.find() && m.group(1).length() < 4 ? Integer.parseInt(m.group(1)) : 0;
    }

    /** Whether the line splits a chain of modules. */
    boolean isSequential() {
        return text.contains("checkpoint_sequential(");
    }

    private String arguments() {
        Matcher m = CALL.matcher(text);
        return m.find() ? text.substring(m.end()) : "";
    }

    /** The module's attribute that is called, where the line says so. */
    Optional<String> ownFunction() {
        Matcher m = OWN.matcher(arguments());
        return m.matches() ? Optional.of(m.group(1)) : Optional.empty();
    }

    /** Whether one of the arguments is what a module of the module's returns. */
    boolean givesResultOf(String module) {
        return arguments().contains("self." + module + "(");
    }

    /** Operators of the line that work on what the checkpoint returns. */
    int operatorsAround() {
        Matcher m = CALL.matcher(text);
        if (!m.find()) {
            return 0;
        }
        int close = close(m.end());
        String after = close < 0 ? "" : text.substring(close);
        String before = text.substring(0, m.start()).replaceFirst("^[\\w\\s,.]*=(?!=)", "");
        return (int) METHOD.matcher(after).results().count()
                + (OPERATOR.matcher(before).find() || OPERATOR.matcher(after).find() ? 1 : 0);
    }

    /** Behind the parenthesis that closes what is open at a place, or -1. */
    private int close(int from) {
        int open = 1;
        for (int i = from; i < text.length(); i++) {
            open += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
            if (open == 0) {
                return i + 1;
            }
        }
        return -1;
    }
}
