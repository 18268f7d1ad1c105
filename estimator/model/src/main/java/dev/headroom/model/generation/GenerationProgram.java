package dev.headroom.model.generation;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The graphs of a run of {@code generate()}: what happens from one forward pass of the model to the end of the next.
 * Which operators a pass makes depends on how many tokens the cache holds (a sliding window is full or not), so that
 * there are several, each with the condition under which it is the one that runs; the first whose condition holds does.
 *
 * @param prefill from the call of {@code generate()} to the end of the pass over the prompt; its user's inputs are the
 *     batch
 * @param decode from the end of a pass to the end of the next, over one token; its user's inputs are variables
 * @param end from the end of the last pass to the return of {@code generate()}
 */
public record GenerationProgram(List<Stage> prefill, List<Stage> decode, Graph end) {
    /** The symbol for the tokens of a prompt. */
    public static final String PROMPT = "seq";

    /** The symbol for the tokens that the cache holds before a pass. */
    public static final String PAST = "past";

    /** The symbol for the tokens that are to be generated. */
    public static final String NEW_TOKENS = "new_tokens";

    private static final String PREFILL_NODE = "generation.prefill";
    private static final String DECODE_NODE = "generation.decode";
    private static final String END_NODE = "generation.end";

    public GenerationProgram {
        prefill = List.copyOf(prefill);
        decode = List.copyOf(decode);
    }

    /**
     * A graph and when it runs.
     *
     * @param when other than 0 where it does
     */
    public record Stage(SymExpr when, Graph body) {
        boolean holds(Map<String, Long> symbols) {
            return when.evaluate(symbols) != 0;
        }
    }

    /** The stage that runs. */
    public static Graph at(List<Stage> stages, Map<String, Long> symbols) {
        return stages.stream()
                .filter(s -> s.holds(symbols))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no pass is written for " + symbols))
                .body();
    }

    /** The same program over other graphs. */
    public GenerationProgram map(UnaryOperator<Graph> change) {
        UnaryOperator<Stage> each = s -> new Stage(s.when(), change.apply(s.body()));
        return new GenerationProgram(
                prefill.stream().map(each).toList(), decode.stream().map(each).toList(), change.apply(end));
    }

    /** The program as a graph of the same model, with a node for each stage. */
    public Graph graph() {
        Graph model = prefill.get(0).body();
        List<Node> nodes = new ArrayList<>();
        prefill.forEach(s -> nodes.add(node(nodes.size(), PREFILL_NODE, s)));
        decode.forEach(s -> nodes.add(node(nodes.size(), DECODE_NODE, s)));
        nodes.add(node(nodes.size(), END_NODE, new Stage(SymExpr.of(1), end)));
        Map<String, Graph.SymbolRange> symbols = new LinkedHashMap<>(model.symbols());
        symbols.put(PAST, new Graph.SymbolRange(0, Long.MAX_VALUE, null));
        return new Graph(
                model.name(),
                model.inputs(),
                nodes,
                List.of(),
                model.values(),
                model.ints(),
                symbols,
                model.state(),
                model.held());
    }

    private static Node node(int number, String target, Stage stage) {
        return new Node(
                "stage_" + number,
                target,
                List.of(
                        new Node.NamedArgument("when", new Argument.Int(stage.when())),
                        new Node.NamedArgument("body", new Argument.Subgraph("body_" + number, stage.body()))),
                List.of(),
                List.of(),
                "");
    }

    /** The pass over the prompt, of a graph that is a program; else the graph itself. */
    public static Graph firstPass(Graph graph) {
        return of(graph).map(p -> p.prefill.get(0).body()).orElse(graph);
    }

    /** The program that a graph is; empty for one that is a forward pass. */
    public static Optional<GenerationProgram> of(Graph graph) {
        if (graph.nodes().isEmpty() || !graph.nodes().get(0).target().equals(PREFILL_NODE)) {
            return Optional.empty();
        }
        Node last = graph.nodes().get(graph.nodes().size() - 1);
        return Optional.of(new GenerationProgram(
                stages(graph, PREFILL_NODE),
                stages(graph, DECODE_NODE),
                stage(last).body()));
    }

    private static List<Stage> stages(Graph graph, String target) {
        return graph.nodes().stream()
                .filter(n -> n.target().equals(target))
                .map(GenerationProgram::stage)
                .toList();
    }

    private static Stage stage(Node node) {
        Argument when = node.arguments().get(0).value();
        Argument body = node.arguments().get(1).value();
        if (when instanceof Argument.Int i && body instanceof Argument.Subgraph s) {
            return new Stage(i.value(), s.graph());
        }
        throw new IllegalArgumentException(node.name() + " is no stage of generate()");
    }
}
