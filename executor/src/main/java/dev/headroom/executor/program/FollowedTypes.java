package dev.headroom.executor.program;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whose type a line of source takes where it spells one ({@link SpelledType}). The name is looked up among what the
 * running call has assigned so far; a name that it has not assigned stands for what the call was given.
 */
final class FollowedTypes {
    private final Graph graph;
    private final CallTree tree;
    private final Map<String, Integer> makers = new HashMap<>();
    private final Set<String> given = new HashSet<>();

    FollowedTypes(Graph graph) {
        this.graph = graph;
        this.tree = CallTree.of(graph);
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String made : graph.nodes().get(i).outputs()) {
                makers.put(made, i);
            }
        }
        graph.inputs().stream().filter(in -> in.kind() == Graph.InputKind.USER).forEach(in -> given.add(in.value()));
    }

    /** What the line of a node spells of its type; {@code null} where that cannot be told. */
    @Nullable
    SpelledType spelled(int node) {
        Node n = graph.nodes().get(node);
        String line = SourceLine.innermost(n).text();
        boolean converts = isConversion(n);
        List<SpelledType> all = converts ? SpelledType.conversions(line) : SpelledType.creations(line);
        if (all.isEmpty()) {
            return null;
        }
        return all.stream().distinct().count() == 1 ? all.get(0) : byPosition(node, converts, all);
    }

    /** The conversions of one statement run in the order in which they are spelled. */
    private @Nullable SpelledType byPosition(int node, boolean converts, List<SpelledType> all) {
        Call call = tree.callOf(node);
        Call.Statement statement = tree.stepIn(call, node).statement;
        int before = 0;
        int count = 0;
        for (int k = statement.first(); k <= statement.last(); k++) {
            Node n = graph.nodes().get(k);
            boolean counts = tree.callOf(k) == call && (converts ? isConversion(n) : !isConversion(n) && hasType(n));
            count += counts ? 1 : 0;
            before += counts && k < node ? 1 : 0;
        }
        return count % all.size() == 0 ? all.get(before % all.size()) : null;
    }

    /** Whether a later part of the statement that a node runs in reads what it makes. */
    boolean isReadInStatement(int node) {
        Call call = tree.callOf(node);
        Call.Statement statement = tree.stepIn(call, node).statement;
        String made = graph.nodes().get(node).outputs().get(0);
        for (int k = node + 1; k <= statement.last(); k++) {
            if (graph.nodes().get(k).reads().contains(made)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isConversion(Node n) {
        return n.operator().equals("aten.to");
    }

    private static boolean hasType(Node n) {
        return n.arguments().stream().anyMatch(a -> a.value() instanceof Argument.Type);
    }

    /** The value whose type a node's is said to be, or {@code null}. */
    @Nullable
    String followed(int node) {
        SpelledType spelled = spelled(node);
        if (spelled == null || spelled.kind() != SpelledType.Kind.LIKE) {
            return null;
        }
        return spelled.of().startsWith("self") ? null : value(node, spelled.of());
    }

    /** What the call of a node was given, where nothing is spelled in sight. */
    @Nullable
    String ofCall(int node) {
        return firstGiven(node, tree.callOf(node));
    }

    private @Nullable String value(int node, String name) {
        Call call = tree.callOf(node);
        for (int k = node - 1; k >= 0 && within(call, k); k--) {
            Call.Statement s = tree.stepIn(call, k).statement;
            if (s.line.names().contains(name) && s != tree.stepIn(call, node).statement) {
                return graph.nodes().get(k).outputs().stream()
                        .filter(this::isFloating)
                        .findFirst()
                        .orElse(null);
            }
        }
        return firstGiven(node, call);
    }

    private boolean within(Call call, int node) {
        Call at = tree.callOf(node);
        while (at != call && at.site != null) {
            at = at.site.parent();
        }
        return at == call;
    }

    private boolean isFloating(@Nullable String value) {
        TensorMeta meta = value == null ? null : graph.values().get(value);
        return meta != null && meta.dtype().isFloatingPoint();
    }

    /** The first value from outside that the call reads. */
    private @Nullable String firstGiven(int node, Call call) {
        int begin = node;
        while (begin > 0 && within(call, begin - 1)) {
            begin--;
        }
        for (int k = begin; k < graph.nodes().size() && within(call, k); k++) {
            Node n = graph.nodes().get(k);
            for (String read : n.reads()) {
                Integer made = makers.get(read);
                if (isFloating(read) && (made != null ? made < begin : given.contains(read))) {
                    return read;
                }
            }
        }
        return null;
    }
}
