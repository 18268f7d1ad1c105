package dev.headroom.executor.program;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
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
        boolean inside = tree.callOf(v.made) == v.owner() && !v.readLater() && v.used < s.last();
        boolean named = inside && (maker.outputs().size() > 1 && v.used > v.made || reads(v, s) > 1);
        if (!named || LibraryFunctions.knows(s.line) || s.line.text().isEmpty()) {
            return;
        }
        int end = v.used;
        while (end < s.last() && live(v.made, end) > 1) {
            end++;
        }
        while (end < s.last() && FORMS.contains(graph.nodes().get(end + 1).operator()) && live(v.made, end + 1) == 1) {
            end++;
        }
        boolean whole = ONE_CALL.matcher(s.line.text()).matches() && live(s.first() - 1, end) == 1;
        v.kept = Math.max(v.kept, whole && !replaced(maker, v, end) ? s.last() : end);
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
