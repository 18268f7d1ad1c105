package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Functions and methods beside {@code forward}: they leave no frames, so their variables are told by what is read. */
final class HiddenFunctions {
    /** What augmented assignments run. */
    private static final Set<String> AUGMENTED = Set.of("aten.add_", "aten.sub_", "aten.mul_", "aten.div_");

    private final List<Node> nodes;
    private final Map<String, Integer> lastUses;
    private final Map<String, TensorMeta> metas;
    private final PythonVariables variables;
    private final Set<String> made = new HashSet<>();

    /** By node: the nodes whose values it reads last, once a value. */
    private final List<List<Integer>> ended = new ArrayList<>();

    /** By first and last node of a statement: how many of its values are read after each of its nodes. */
    private final Map<List<Integer>, int[]> statements = new HashMap<>();

    /** By last node of a statement and its depth: whether its line is one call of a function. */
    private final Map<List<Integer>, Boolean> oneCalls = new HashMap<>();

    /** @param lastUses by value: the last node that reads it, or else the one that makes it */
    HiddenFunctions(
            List<Node> nodes, Map<String, Integer> lastUses, Map<String, TensorMeta> metas, PythonVariables variables) {
        this.nodes = nodes;
        this.lastUses = Map.copyOf(lastUses);
        this.metas = metas;
        this.variables = variables;
        nodes.forEach(n -> made.addAll(n.outputs()));
        nodes.forEach(n -> ended.add(new ArrayList<>(2)));
        for (int i = 0; i < nodes.size(); i++) {
            for (String value : nodes.get(i).outputs()) {
                int last = value == null ? i : this.lastUses.getOrDefault(value, i);
                if (last > i) {
                    ended.get(last).add(i);
                }
            }
        }
    }

    /**
     * Until when a variable of a function whose source is out of sight holds a temporary of the statement that calls
     * it: what is read twice, or is one of several results, has a name. The function ends where all that it made
     * has come down to one value, in the form in which the function returns it.
     */
    int end(int made, int output, int depth, int lastUse, int end) {
        PythonFrame line = variables.frame(made, depth);
        Node node = nodes.get(made);
        boolean oneCall = oneCalls.computeIfAbsent(
                List.of(end, depth), k -> line.isOneCall(modules(variables.start(made, depth, end), end, depth)));
        String value = node.outputs().get(output);
        boolean changed = oneCall && isChanged(value, depth, made, end);
        boolean named = changed
                || node.outputs().size() > 1
                || reads(value, depth, made, end) > 1
                || isPassed(made, lastUse, depth);
        if (!named || LibraryVariables.knows(line.text())) {
            return lastUse;
        }
        int i = changed ? statement(lastUse, depth, end) : lastUse;
        if (nodes.get(lastUse).moduleStack().size() > depth + 1) {
            int returns = variables.callEnd(lastUse, depth + 1);
            if (returns < end && takesPlace(node, output, returns)) {
                return returns; // x = layer(x)
            }
        }
        int live = 0;
        for (int k = made + 1; k <= i; k++) {
            live += more(made, k);
        }
        while (i < end && live > 1 && !isLike(i + 1, made, lastUse)) {
            live += more(made, ++i);
        }
        while (i < end
                && LibraryVariables.FORMS.contains(nodes.get(i + 1).operator())
                && live + more(made, i + 1) == 1) {
            live += more(made, ++i);
        }
        return oneCall && live(variables.start(made, depth, end), end, i) == 1 && !takesPlace(node, output, i)
                ? end
                : i;
    }

    /**
     * Whether a value that a function has come down to may have been given the name of another, as in
     * {@code x = x + f(x)}: it has that one's sizes.
     */
    private boolean takesPlace(Node node, int output, int result) {
        TensorMeta old = metas.get(node.outputs().get(output));
        List<String> out = nodes.get(result).outputs();
        TensorMeta now = out.isEmpty() ? null : metas.get(out.get(0));
        return node.outputs().size() == 1
                && old != null
                && now != null
                && old.sizes().equals(now.sizes());
    }

    /** How many of the values that a statement makes up to a node are read later. */
    private int live(int start, int end, int node) {
        int[] live = statements.computeIfAbsent(List.of(start, end), k -> {
            int[] out = new int[end - start + 1];
            for (int i = start; i <= end; i++) {
                out[i - start] = (i == start ? 0 : out[i - start - 1]) + more(start - 1, i);
            }
            return out;
        });
        return live[node - start];
    }

    /** By how many a node changes the number of those values made after {@code from} that are still to be read. */
    private int more(int from, int node) {
        int n = 0;
        if (!isParameter(node)) {
            for (String value : nodes.get(node).outputs()) {
                n += value != null && lastUses.getOrDefault(value, node) > node ? 1 : 0;
            }
        }
        for (int by : ended.get(node)) {
            n -= by > from && !isParameter(by) ? 1 : 0;
        }
        return n;
    }

    /** Whether a node gives a parameter another form. */
    private boolean isParameter(int node) {
        List<String> reads = nodes.get(node).reads();
        return !reads.isEmpty() && reads.stream().noneMatch(made::contains);
    }

    /** Names of the modules that a statement calls. */
    private Set<String> modules(int start, int end, int depth) {
        Set<String> out = new HashSet<>();
        for (int i = start; i <= end; i++) {
            if (nodes.get(i).moduleStack().size() > depth + 1) {
                String path = nodes.get(i).moduleStack().get(depth + 1).path();
                out.add(path.substring(path.lastIndexOf('.') + 1));
            }
        }
        return out;
    }

    /**
     * Whether a node makes what another one made: the next turn of a loop, which gives a variable its next value. Of
     * values that are used together, as queries and keys, each has a variable of its own.
     */
    private boolean isLike(int node, int made, int lastUse) {
        if (!sameKind(node, made)) {
            return false;
        }
        for (int i = made + 1; i <= lastUse; i++) {
            if (sameKind(i, made)) {
                return false;
            }
        }
        return true;
    }

    private boolean sameKind(int a, int b) {
        Node x = nodes.get(a);
        Node y = nodes.get(b);
        return x.operator().equals(y.operator())
                && x.outputs().size() == y.outputs().size()
                && !x.outputs().isEmpty()
                && sizes(x).equals(sizes(y));
    }

    private List<?> sizes(Node node) {
        TensorMeta meta = metas.get(node.outputs().get(0));
        return meta == null ? List.of() : meta.sizes();
    }

    /**
     * Whether something else is made before a value is read last, for what comes behind that: no part of an expression
     * waits while other ones run, but a variable does.
     */
    private boolean isPassed(int made, int lastUse, int depth) {
        for (int i = made + 1; i < lastUse; i++) {
            Node node = nodes.get(i);
            if (node.moduleStack().size() == depth + 1 && !isParameter(i)) {
                for (String value : node.outputs()) {
                    if (value != null && lastUses.getOrDefault(value, i) > lastUse) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Whether a value is changed in place, as by {@code x *= 2}: what that works on has a name. */
    private boolean isChanged(String value, int depth, int from, int to) {
        for (int i = from + 1; i <= to; i++) {
            Node node = nodes.get(i);
            if (node.moduleStack().size() == depth + 1
                    && AUGMENTED.contains(node.operator())
                    && !node.reads().isEmpty()
                    && node.reads().get(0).equals(value)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The end of a statement of the function: the node whose result has a name, as those before have none that hand
     * theirs to one reader alone.
     */
    private int statement(int node, int depth, int end) {
        int i = node;
        while (i < end) {
            List<String> out = nodes.get(i).outputs();
            String value = out.size() == 1 ? out.get(0) : null;
            int reader = value == null ? i : lastUses.getOrDefault(value, i);
            if (value == null
                    || reader == i
                    || reader > end
                    || isRead(value, i, reader)
                    || isChanged(value, depth, i, end)) {
                return i;
            }
            i = reader;
        }
        return i;
    }

    /** Whether a node between two others reads a value. */
    private boolean isRead(String value, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (nodes.get(i).reads().contains(value) && !nodes.get(i).operator().startsWith("aten._assert")) {
                return true;
            }
        }
        return false;
    }

    private int reads(String value, int depth, int from, int to) {
        int n = 0;
        for (int i = from + 1; i <= to; i++) {
            Node node = nodes.get(i);
            boolean reads = node.reads().contains(value) && !node.operator().startsWith("aten._assert");
            n += reads && node.moduleStack().size() == depth + 1 ? 1 : 0;
        }
        return n;
    }
}
