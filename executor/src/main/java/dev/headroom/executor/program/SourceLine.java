package dev.headroom.executor.program;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    /** Also of tuples in tuples, as in {@code y, (h, c) = …}. */
    private static final String NAMES =
            "[(\\[\\s]*(\\*?" + NAME + "(?:[)\\]\\s]*,[(\\[\\s]*\\*?" + NAME + ")*)[)\\]\\s]*,?[)\\]\\s]*";

    /** Assignments have a space before their sign; keyword arguments on a line of their own have none. */
    private static final Pattern ASSIGN =
            Pattern.compile(NAMES + "(?:\\s*:\\s[^=]+?)?\\s+(?:[-+*/@&|^%]|//|\\*\\*)?=(?!=).*", Pattern.DOTALL);

    private static final Pattern FOR = Pattern.compile("for\\s+" + NAMES + "\\s+in\\s.*", Pattern.DOTALL);

    private static final Pattern FRAME = Pattern.compile("File \"([^\n]*)\", line (\\d+), in [^\n]*(?:\n *([^\n]*))?");

    private static final Pattern COMPREHENSION = Pattern.compile("[\\[(].*\\sfor\\s.*\\sin\\s");

    /** {@code outs.append(x)}, {@code outs["x"] = x}. */
    private static final Pattern FILL = Pattern.compile(
            "[\\w.]+(?:\\.(?:append|appendleft|extend|insert|add|update|setdefault)\\(" + "|\\[.*\\]\\s*=(?!=)).*");

    /** {@code x = block(x)}: one call, of what a variable holds. */
    private static final Pattern ONE_CALL = Pattern.compile("(?:" + NAMES + "\\s*=\\s*)?" + NAME + "\\([^()]*\\)");

    private static final Pattern JOINED = Pattern.compile("\\b(?:cat|concat|stack)\\((\\w+)\\s*[,)]");

    private static final Pattern FILLED = Pattern.compile("(\\w+)\\.(?:append|extend|insert)\\(");

    /** A module of a container, with the container's name. */
    private static final Pattern NUMBERED = Pattern.compile("(?:^|\\.)([A-Za-z_]\\w*)(?:\\.\\d+)+$");

    private static final Pattern OWN_CALL = Pattern.compile("(?<![\\w.])self\\.(\\w+)\\(");

    private static final Pattern OTHER_STATEMENT =
            Pattern.compile("(?:return|yield|if|elif|else|for|while|with|assert|del|raise)\\b");

    /** The right operand of an operator whose left one is on a line before; a sign has no blank behind it. */
    private static final Pattern OPERAND = Pattern.compile("(?:[-+*/@&|^%]|//|\\*\\*|(?:and|or)\\b)\\s");

    private static final Pattern PART = Pattern.compile("\\)\\[-?\\d+]");

    private static final Pattern SHAPE = Pattern.compile("(?<=\\.(?:view|reshape|expand))\\([^()]*\\)");

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
            String text = m.group(3) == null ? "" : m.group(3).strip();
            int number = m.group(2).length() > 9 ? 0 : Integer.parseInt(m.group(2));
            out.add(of(number, text.startsWith("File \"") ? "" : text));
        }
        return out;
    }

    /** Whether a loop within the statement makes a list: all its turns are one statement. */
    boolean isComprehension() {
        return kind != Kind.LOOP && COMPREHENSION.matcher(text).find();
    }

    /** Whether it puts what it makes into a list, a set or a dictionary. */
    boolean fills() {
        return kind == Kind.EXPRESSION && FILL.matcher(text).matches();
    }

    /** The list that it puts what it makes into, "" for none with a plain name. */
    String filled() {
        Matcher m = FILLED.matcher(text);
        return m.lookingAt() ? m.group(1) : "";
    }

    /** Whether it is one call of a variable: a second module that it calls is the next turn of a loop. */
    boolean callsVariable() {
        return ONE_CALL.matcher(text).matches();
    }

    /**
     * How often it calls a module before it runs again: as often as it spells the module or, where it does not, the
     * method that may call it. A method may have a loop over the modules of a container that the line does not spell.
     */
    int timesCalled(String path) {
        String name = path.substring(path.lastIndexOf('.') + 1);
        String holder = holder(path);
        if (!holder.isEmpty()
                && !spells(name)
                && !spells(holder)
                && OWN_CALL.matcher(text).find()) {
            return Integer.MAX_VALUE;
        }
        Map<String, Integer> spelled = new HashMap<>();
        Matcher m = OWN_CALL.matcher(text);
        while (m.find()) {
            spelled.merge(m.group(1), 1, Integer::sum);
        }
        int most = spelled.values().stream().mapToInt(n -> n).max().orElse(1);
        return spelled.getOrDefault(name, most);
    }

    /** The container that a numbered module is taken from: {@code layers} of {@code layers.0}; "" of another. */
    private static String holder(String path) {
        Matcher m = NUMBERED.matcher(path);
        return m.find() ? m.group(1) : "";
    }

    private boolean spells(String name) {
        return Pattern.compile("(?:\\.|\"|'|\\[)" + name + "(?!\\w)")
                .matcher(text)
                .find();
    }

    /** Whether the new value of a variable is made from its old one. */
    boolean readsItself(String name) {
        int sign = text.indexOf('=');
        return sign >= 0
                && Pattern.compile("(?<![\\w.])" + name + "(?![\\w=])")
                        .matcher(text.substring(sign))
                        .find();
    }

    /** Whether it may be the end of an assignment that began on a line before: it begins no other statement. */
    boolean mayEndAssignment() {
        return kind == Kind.EXPRESSION
                && !text.isEmpty()
                && !OTHER_STATEMENT.matcher(text).lookingAt()
                && !OPERAND.matcher(text).lookingAt();
    }

    /** The names of variables that it reads, those that only say a shape apart. */
    Set<String> spelled() {
        Set<String> out = new HashSet<>();
        int sign = kind == Kind.ASSIGNMENT ? text.indexOf('=') + 1 : 0;
        Matcher m = OtherNames.NAME.matcher(SHAPE.matcher(text.substring(sign)).replaceAll("()"));
        while (m.find()) {
            if (!OtherNames.WORDS.contains(m.group())) {
                out.add(m.group());
            }
        }
        return out;
    }

    /** Whether it goes on with the expression on the lines before it. */
    boolean continuesExpression() {
        return text.startsWith(".") || text.startsWith(")");
    }

    /** Whether it is the next line of a statement that another line leaves unfinished. */
    boolean follows(SourceLine other) {
        return number == other.number + 1 && other.isUnfinished();
    }

    /** Whether the lines behind it, which are not shown, belong to its statement. */
    boolean isUnfinished() {
        int open = 0;
        for (int i = 0; i < text.length(); i++) {
            open += "([{".indexOf(text.charAt(i)) >= 0 ? 1 : ")]}".indexOf(text.charAt(i)) >= 0 ? -1 : 0;
        }
        return open > 0;
    }

    /** Whether it takes one of the results of what it calls: {@code self.rnn(x)[0]}. */
    boolean takesPart() {
        return PART.matcher(text).find();
    }

    /** Whether it hands a list of a name to a function that joins what is in it. */
    boolean joins(String name) {
        return Pattern.compile("\\b(?:cat|concat|stack|sum)\\(" + name + "\\s*[,)\\[]")
                .matcher(text)
                .find();
    }

    /** The name of the list that it hands to such a function, "" without one. */
    String joined() {
        if (!text.contains("cat(") && !text.contains("stack(")) {
            return "";
        }
        Matcher m = JOINED.matcher(text);
        return m.find() ? m.group(1) : "";
    }

    private static List<String> split(String names) {
        List<String> out = new ArrayList<>();
        for (String n : names.split(",")) {
            out.add(n.replaceAll("[^\\w]", ""));
        }
        return List.copyOf(out);
    }
}
