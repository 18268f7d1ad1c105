package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What {@code prepare_model_for_kbit_training} does (peft/utils/other.py): it freezes all parameters, casts those in
 * half precision that are not quantised to float32, and makes the embeddings' output require a gradient where
 * re-entrant checkpoints follow.
 */
public final class Preparing {
    private Preparing() {}

    /** Whether a run prepares its model. */
    public static boolean casts(Scenario run) {
        return run.quant().any() && !run.quant().noKbitPrepare() && !run.loop().inference();
    }

    /** The run with what preparing changes about it: checkpoints are re-entrant where nothing else is said. */
    public static Scenario applied(Scenario run) {
        boolean switches =
                casts(run) && run.checkpointing().any() && run.checkpointing().reentrant() == null;
        return switches ? run.withCheckpointing(run.checkpointing().withReentrant(true)) : run;
    }

    /** The graph of a prepared model. */
    public static Graph rewrite(Graph graph, Scenario run) {
        if (!casts(run)) {
            return graph;
        }
        DType own = QuantisedLinears.ownType(graph);
        DType loaded = run.precision().dtype() == null ? own : run.precision().dtype();
        Map<String, HeldTensor> tensors = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            boolean weight = held.kind() == Graph.InputKind.PARAMETER
                    && held.meta().dtype().isFloatingPoint();
            DType type = held.type(loaded);
            tensors.put(name, weight ? held.convertedFrom(type, type.isReducedFloat() ? DType.FLOAT32 : type) : held);
        });
        Graph prepared = new Graph(
                graph.name(),
                graph.inputs(),
                graph.nodes(),
                graph.outputs(),
                graph.values(),
                graph.ints(),
                graph.symbols(),
                graph.state(),
                new ModelState(graph.held().modules(), tensors, graph.held().notes()));
        boolean reentrant =
                run.checkpointing().any() && !Objects.equals(run.checkpointing().reentrant(), false);
        return reentrant ? inputsRequireGradients(prepared) : prepared;
    }

    /** {@code enable_input_require_grads()}: a hook of the module that embeds the tokens. */
    public static Graph inputsRequireGradients(Graph graph) {
        List<Node> nodes = graph.nodes();
        int at = 0;
        while (at < nodes.size() && !nodes.get(at).operator().equals("aten.embedding")) {
            at++;
        }
        if (at == nodes.size()) {
            return graph;
        }
        String call = call(nodes.get(at));
        int last = at;
        while (last + 1 < nodes.size() && call(nodes.get(last + 1)).equals(call)) {
            last++;
        }
        Node made = nodes.get(last);
        String value = Objects.requireNonNull(made.outputs().get(0));
        String required = value + "_requires_grad";
        List<Node> out = new ArrayList<>(nodes.subList(0, last + 1));
        out.add(new Node(
                required,
                QuantisedOperators.REQUIRES_GRAD + ".default",
                List.of(new Node.NamedArgument("self", new Argument.Value(value))),
                List.of(required),
                made.moduleStack(),
                made.stackTrace()));
        for (Node node : nodes.subList(last + 1, nodes.size())) {
            out.add(node.reading(Map.of(value, required)));
        }
        return graph.withNodes(out);
    }

    private static String call(Node node) {
        List<Node.ModuleCall> stack = node.moduleStack();
        return stack.isEmpty() ? "" : stack.get(stack.size() - 1).call();
    }
}
