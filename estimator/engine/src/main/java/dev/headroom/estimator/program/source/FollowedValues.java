package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.Node;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values that source lines take the type of: of the value which the same call assigned to the name last, else of
 * the argument of this name, else of the call's own input.
 */
public final class FollowedValues {
    /** A variable for the type of another: the other's name, and the last word of that. */
    private static final Pattern DTYPE_OF = Pattern.compile("(\\w*?(?<![A-Za-z0-9])([A-Za-z0-9]+))_d?type");

    private final List<Node> nodes;
    private final List<List<PythonFrame>> frames;
    private final Map<String, Integer> producer;
    private final Set<String> userInputs;

    /** @param frames by node, those of its calls of modules, or all where they do not match */
    public FollowedValues(
            List<Node> nodes, List<List<PythonFrame>> frames, Map<String, Integer> producer, Set<String> userInputs) {
        this.nodes = nodes;
        this.frames = frames;
        this.producer = producer;
        this.userInputs = userInputs;
    }

    /** The value whose type a name stands for, or {@code null} for the model's own type. */
    public @Nullable String of(int i, String name) {
        if (name.startsWith("self.")) {
            return null;
        }
        String call = call(i);
        int depth = nodes.get(i).moduleStack().size() - 1;
        int begin = i;
        while (begin > 0 && inCall(begin - 1, call)) {
            begin--;
            List<PythonFrame> f = frames.get(begin);
            if (!name.isEmpty()
                    && depth >= 0
                    && f.size() > depth
                    && f.get(depth).assigned().contains(name)) {
                return floating(nodes.get(begin));
            }
        }
        if (depth == 0 && userInputs.contains(name)) {
            return name; // the model's forward asks for the type of an argument
        }
        String spoken = spokenOf(name, begin, i, depth);
        if (spoken != null) {
            return spoken;
        }
        String argument = argument(name, begin, call, depth);
        if (argument != null) {
            return argument;
        }
        for (int k = begin; k < nodes.size() && inCall(k, call); k++) {
            for (String used : nodes.get(k).reads()) {
                Integer made = producer.get(used);
                if (made != null ? made < begin : userInputs.contains(used)) {
                    return used;
                }
            }
        }
        return null;
    }

    /**
     * The value of a function's parameter: the only one from outside of the call that a line which spells its name
     * reads; {@code null} where there is none, or more.
     */
    private @Nullable String argument(String name, int begin, String call, int depth) {
        if (name.isEmpty() || depth < 0) {
            return null;
        }
        Pattern spelled = Pattern.compile("(?<![\\w.])" + Pattern.quote(name) + "(?![\\w.=]|\\s*=[^=])");
        Set<String> given = new HashSet<>();
        for (int k = begin; k < nodes.size() && inCall(k, call) && given.isEmpty(); k++) {
            List<PythonFrame> f = frames.get(k);
            if (f.size() != depth + 1 || !spelled.matcher(f.get(depth).text()).find()) {
                continue;
            }
            int end = k;
            while (end < nodes.size() && sameStatement(end, k, f.get(depth))) {
                for (String used : nodes.get(end).reads()) {
                    Integer made = producer.get(used);
                    if (made != null ? made < begin : userInputs.contains(used)) {
                        given.add(used);
                    }
                }
                end++;
            }
        }
        return given.size() == 1 ? given.iterator().next() : null;
    }

    /**
     * The value that a name such as {@code result_dtype} speaks of: what the call assigned to {@code result} first,
     * as the type is asked for before the value changes; {@code null} where nothing is called so.
     */
    private @Nullable String spokenOf(String name, int begin, int end, int depth) {
        Matcher m = DTYPE_OF.matcher(name);
        if (depth < 0 || !m.matches()) {
            return null;
        }
        @Nullable String value = null;
        int line = -1;
        for (int k = begin; k < end; k++) {
            List<PythonFrame> f = frames.get(k);
            if (f.size() <= depth || line >= 0 && f.get(depth).line() != line) {
                if (value != null) {
                    return value;
                }
                continue;
            }
            List<String> assigned = f.get(depth).assigned();
            if (assigned.size() == 1 && (assigned.contains(m.group(1)) || assigned.contains(m.group(2)))) {
                line = f.get(depth).line();
                value = floating(nodes.get(k));
            }
        }
        return value;
    }

    private static @Nullable String floating(Node n) {
        for (String out : n.outputs()) {
            if (out != null) {
                return out;
            }
        }
        return null;
    }

    /** Whether a node runs in the statement of another, if deeper: {@code self.norm(x.float()).type_as(x)}. */
    public boolean sameStatement(int a, int b, PythonFrame line) {
        int depth = frames.get(b).size() - 1;
        return frames.get(a).size() > depth && line.equals(frames.get(a).get(depth)) && inCall(a, call(b));
    }

    private String call(int i) {
        List<Node.ModuleCall> stack = nodes.get(i).moduleStack();
        return stack.isEmpty() ? "" : stack.get(stack.size() - 1).call();
    }

    private boolean inCall(int i, String call) {
        return nodes.get(i).moduleStack().stream().anyMatch(c -> c.call().equals(call));
    }
}
