package dev.headroom.estimator.program.variables;

import dev.headroom.estimator.program.source.PythonFrame;
import dev.headroom.estimator.program.source.TracedNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.nullness.Contract;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Undoes what tracing does to names. A conversion to the type that a tensor already has returns the tensor itself, and
 * from then on the tracer calls it by the conversion's name, for whoever reads it. In a run where the conversion makes
 * another tensor, only those read that one who can see the variable it was assigned to; all others read what was
 * converted.
 */
public final class TracedAliases {
    /** What is left of graphs; empty where nothing changes. */
    private static final GraphMemo<Optional<Graph>> UNDONE = new GraphMemo<>(TracedAliases::undone);

    private final Graph graph;
    private final List<Node> nodes;
    private final PythonVariables variables;
    private final Map<String, Integer> conversions = new HashMap<>();
    private final Map<String, Integer> lastReads = new HashMap<>();

    private TracedAliases(Graph graph) {
        this.graph = graph;
        this.nodes = graph.nodes();
        TracedNodes called = TracedNodes.of(graph);
        this.variables = new PythonVariables(called, Lifetimes.callEnds(called.nodes()), Map.of(), graph.values());
        for (int i = 0; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            for (String read : n.reads()) {
                lastReads.put(read, i);
            }
            if (graph.isToOwnType(n)) {
                conversions.put(n.outputs().get(0), i);
            }
        }
    }

    /** The graph with every reader reading what the program reads. */
    public static Graph undo(Graph graph) {
        return UNDONE.of(graph).orElse(graph);
    }

    private static Optional<Graph> undone(Graph graph) {
        TracedAliases all = new TracedAliases(graph);
        return all.conversions.isEmpty() ? Optional.empty() : Optional.of(all.rewrite());
    }

    private Graph rewrite() {
        List<Node> out = new ArrayList<>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            out.add(renamed(i));
        }
        List<Graph.Output> outputs = graph.outputs().stream()
                .map(o -> new Graph.Output(o.kind(), seen(o.value(), nodes.size()), o.target()))
                .toList();
        return graph.withNodes(out).withOutputs(outputs);
    }

    private Node renamed(int i) {
        Node n = nodes.get(i);
        boolean changed = false;
        List<Node.NamedArgument> arguments = new ArrayList<>(n.arguments().size());
        for (Node.NamedArgument a : n.arguments()) {
            boolean wantsType = a.name().equals("other") && n.operator().equals("aten.type_as");
            Argument value = a.value().reading(v -> seen(wantsType ? unconverted(v, i) : v, i));
            changed |= !value.equals(a.value());
            arguments.add(new Node.NamedArgument(a.name(), value));
        }
        return changed ? n.withArguments(arguments) : n;
    }

    /** Who takes the type of a value goes back to it: not to what the same statement converted it to. */
    private String unconverted(String name, int reader) {
        String at = name;
        Integer made = conversions.get(at);
        while (made != null
                && variables.depth(made) >= 0
                && variables.statementEnd(made, variables.depth(made)) >= reader) {
            String source = nodes.get(made).tensor("self");
            if (source == null) {
                return at;
            }
            at = source;
            made = conversions.get(at);
        }
        return at;
    }

    /** What a reader gets who is told to read {@code name}. */
    @Contract("!null, _ -> !null")
    private @Nullable String seen(@Nullable String name, int reader) {
        String at = name;
        Integer made = conversions.get(at);
        while (made != null && !visible(made, reader)) {
            at = nodes.get(made).tensor("self");
            made = conversions.get(at);
        }
        return at;
    }

    /** Whether the result of the conversion can be read at a node; {@code nodes.size()}: by who called the model. */
    private boolean visible(int made, int reader) {
        int depth = variables.depth(made);
        if (depth < 0) {
            return true; // no source lines
        }
        PythonFrame line = variables.frame(made, depth);
        int statement = variables.statementEnd(made, depth);
        if (reader <= statement) {
            return true;
        }
        if (line.returns()) {
            return !isOperand(made, statement);
        }
        List<String> names = line.assigned(); // empty where the line shown is not the statement's first
        String own = names.size() > 1 ? ownName(made, depth, line) : null;
        if (made < statement && own == null && !returned(made, depth, statement, names.size())) {
            return false; // a part of an expression
        }
        int callEnd = variables.callEnd(made, depth);
        if (reader > callEnd) {
            // The last that the function does is what it returns; and what it converted may have no name to return.
            return made == callEnd || ofTemporary(made, depth, statement);
        }
        PythonFrame read = variables.frame(reader, depth);
        String text = read.text();
        return names.isEmpty()
                || read.isUnfinished()
                || (own == null ? names.stream().anyMatch(name -> mentions(text, name)) : mentions(text, own));
    }

    /**
     * The name that a conversion is assigned to in {@code a, b = x.to(t), y.to(t)}: as many conversions as values that
     * end in one; {@code null} where that cannot be told.
     */
    private @Nullable String ownName(int made, int depth, PythonFrame line) {
        List<String> values = line.values();
        List<String> converted = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).matches("[\\w.]+\\.(to|type|type_as|float|half|bfloat16)\\([^()]*\\)")) {
                converted.add(line.assigned().get(i));
            }
        }
        int statement = variables.statementEnd(made, depth);
        int before = 0;
        int all = 0;
        for (int i = 0; i <= statement; i++) {
            boolean here = variables.depth(i) == depth && variables.statementEnd(i, depth) == statement;
            if (here && nodes.get(i).operator().equals("aten.to")) {
                before += i < made ? 1 : 0;
                all++;
            }
        }
        return all == converted.size() && all > 0 ? converted.get(before) : null;
    }

    /** Whether the same statement made what is converted, so that nobody can name it afterwards. */
    private boolean ofTemporary(int made, int depth, int statement) {
        String source = nodes.get(made).tensor("self");
        for (int i = made - 1; i >= 0; i--) {
            if (nodes.get(i).outputs().contains(source)) {
                return variables.depth(i) >= depth && variables.statementEnd(i, depth) == statement;
            }
        }
        return false;
    }

    /** Whether the statement goes on to compute with what it converted. */
    private boolean isOperand(int made, int statement) {
        String value = nodes.get(made).outputs().get(0);
        for (int i = made + 1; i <= statement; i++) {
            if (nodes.get(i).reads().contains(value) && !nodes.get(i).outputs().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a conversion is one of the several results of a function out of sight: the statement makes as many
     * values that are read after it as it assigns names.
     */
    private boolean returned(int made, int depth, int statement, int names) {
        if (names < 2) {
            return false;
        }
        int first = made;
        while (first > 0
                && variables.depth(first - 1) >= depth
                && variables.statementEnd(first - 1, depth) == statement) {
            first--;
        }
        int results = 0;
        for (int i = first; i <= statement; i++) {
            for (String out : nodes.get(i).outputs()) {
                results += out != null && lastReads.getOrDefault(out, i) > statement ? 1 : 0;
            }
        }
        return results == names
                && lastReads.getOrDefault(nodes.get(made).outputs().get(0), made) > statement;
    }

    private static boolean mentions(String text, String name) {
        return text.matches(".*\\b" + name + "\\b.*");
    }
}
