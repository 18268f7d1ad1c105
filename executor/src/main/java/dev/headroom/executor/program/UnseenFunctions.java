package dev.headroom.executor.program;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Variables of functions and methods that a line calls and whose own lines no trace has. What such a function reads
 * twice, or gets as one of several results, has a name in it and is held until it returns: when all that the statement
 * has made has come down to one value, in the form in which it is handed back.
 */
final class UnseenFunctions {
    /** What functions do last to what they return. */
    private static final Set<String> FORMS = Set.of(
            "aten.to",
            "aten.type_as",
            "aten.view",
            "aten.reshape",
            "aten.flatten",
            "aten.transpose",
            "aten.permute",
            "aten.contiguous",
            "aten.squeeze",
            "aten.unsqueeze");

    /** What augmented assignments run. */
    private static final Set<String> AUGMENTED = Set.of("aten.add_", "aten.sub_", "aten.mul_", "aten.div_");

    /** A statement that is one call of names, whose value is what the function returns. */
    private static final Pattern ONE_CALL =
            Pattern.compile("(?:return\\s+|[\\w\\s,()]+=\\s*)[A-Za-z_][\\w.]*\\((?:[\\w.\\s=]|,|\\*\\*?\\w)*\\)");

    private final Graph graph;
    private final CallTree tree;
    private final Map<String, Local> locals;

    /** Values that nodes make: all but parameters and inputs. */
    private final Set<String> made = new HashSet<>();

    private UnseenFunctions(Graph graph, CallTree tree, Map<String, Local> locals) {
        this.graph = graph;
        this.tree = tree;
        this.locals = locals;
        graph.nodes().forEach(n -> made.addAll(n.outputs()));
    }

    /** Keeps what their variables hold. */
    static void keep(Graph graph, CallTree tree, Map<String, Local> locals) {
        UnseenFunctions functions = new UnseenFunctions(graph, tree, locals);
        locals.values().forEach(functions::keep);
    }

    private void keep(Local v) {
        Call.Statement s = v.producer().statement;
        Node maker = graph.nodes().get(v.made);
        if (tree.callOf(v.made) != v.owner() || v.readLater() || v.used >= s.last()) {
            return;
        }
        boolean oneCall = ONE_CALL.matcher(s.line.text()).matches();
        boolean changed = oneCall && isChanged(v);
        boolean named = changed || maker.outputs().size() > 1 && v.used > v.made || reads(v, s) > 1 || isPassed(v);
        if (!named || LibraryFunctions.knows(s.line) || s.line.text().isEmpty()) {
            return;
        }
        v.kept = Math.max(v.kept, end(v, maker, s, changed ? assigned(v, s) : v.used, oneCall));
    }

    /**
     * The node up to which a variable of a function holds a value.
     *
     * @param least where it ends at the earliest
     */
    private int end(Local v, Node maker, Call.Statement s, int least, boolean oneCall) {
        int end = least;
        if (tree.callOf(v.used) != v.owner()) {
            int returns = tree.stepIn(v.owner(), v.used).last();
            if (returns < s.last() && replaced(maker, v, returns)) {
                return returns; // x = layer(x)
            }
        }
        while (end < s.last() && live(v.made, end) > 1 && !comesAgain(v, end + 1)) {
            end++;
        }
        while (end < s.last() && FORMS.contains(graph.nodes().get(end + 1).operator()) && live(v.made, end + 1) == 1) {
            end++;
        }
        boolean whole = oneCall && live(s.first() - 1, end) == 1;
        return whole && !replaced(maker, v, end) ? s.last() : end;
    }

    /** Whether an augmented assignment, as {@code x *= 2}, changes a value: it has a name. */
    private boolean isChanged(Local v) {
        return v.readers.stream().anyMatch(i -> {
            Node reader = graph.nodes().get(i);
            return AUGMENTED.contains(reader.operator())
                    && tree.callOf(i) == v.owner()
                    && reader.reads().get(0).equals(v.name);
        });
    }

    /** Whether the function makes something for later between a value and its last use, so that this one waits. */
    private boolean isPassed(Local v) {
        for (int i = v.made + 1; i < v.used; i++) {
            Node node = graph.nodes().get(i);
            boolean parameter = !node.reads().isEmpty() && node.reads().stream().noneMatch(made::contains);
            if (tree.callOf(i) == v.owner() && !parameter) {
                for (String o : node.outputs()) {
                    Local other = locals.get(o);
                    if (other != null && other.used > v.used) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The node whose result the statement that reads a value last gives a name: those before have one reader each. */
    private int assigned(Local v, Call.Statement s) {
        int i = v.used;
        while (i < s.last()) {
            List<String> out = graph.nodes().get(i).outputs();
            Local next = out.size() == 1 ? locals.get(out.get(0)) : null;
            if (next == null
                    || next.used <= i
                    || next.used > s.last()
                    || new HashSet<>(next.readers).size() > 1
                    || tree.callOf(i) == v.owner() && isChanged(next)) {
                return i;
            }
            i = next.used;
        }
        return i;
    }

    /** Whether a node makes a value anew, in the next turn of a loop; not one of several that are used together. */
    private boolean comesAgain(Local v, int node) {
        if (!sameKind(node, v.made)) {
            return false;
        }
        for (int i = v.made + 1; i <= v.used; i++) {
            if (sameKind(i, v.made)) {
                return false;
            }
        }
        return true;
    }

    private boolean sameKind(int a, int b) {
        Node x = graph.nodes().get(a);
        Node y = graph.nodes().get(b);
        return x.operator().equals(y.operator())
                && x.outputs().size() == y.outputs().size()
                && !x.outputs().isEmpty()
                && sizes(x).equals(sizes(y));
    }

    private List<?> sizes(Node node) {
        TensorMeta meta = graph.values().get(node.outputs().get(0));
        return meta == null ? List.of() : meta.sizes();
    }

    /** How often the statement reads a value outside of the calls in it. */
    private int reads(Local v, Call.Statement s) {
        int n = 0;
        for (int reader : v.readers) {
            boolean checks = graph.nodes().get(reader).operator().startsWith("aten._assert");
            n += reader <= s.last() && !checks && tree.callOf(reader) == v.owner() ? 1 : 0;
        }
        return n;
    }

    /** How many of the values that nodes behind one made, up to another, are read after that. */
    private int live(int behind, int to) {
        int n = 0;
        for (int i = behind + 1; i <= to; i++) {
            Node node = graph.nodes().get(i);
            if (!node.reads().isEmpty() && node.reads().stream().noneMatch(made::contains)) {
                continue; // a parameter in another form
            }
            for (String o : node.outputs()) {
                Local out = locals.get(o);
                n += o != null && (out == null || out.used > to) ? 1 : 0;
            }
        }
        return n;
    }

    /**
     * Whether the value that a function has come down to may have been given the name of another, as in
     * {@code x = x + f(x)}: it has that one's sizes.
     */
    private boolean replaced(Node maker, Local v, int result) {
        List<String> out = graph.nodes().get(result).outputs();
        var before = graph.values().get(v.name);
        var now = out.isEmpty() ? null : graph.values().get(out.get(0));
        return maker.outputs().size() == 1
                && before != null
                && now != null
                && before.sizes().equals(now.sizes());
    }
}
